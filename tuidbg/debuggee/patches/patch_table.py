"""Every patch of debugpy and pydevd: what it is for, what it replaces, and what else it uses.

A line with its name, then its target and the other names that it uses, which are its guard. A name
is written "module:attribute.attribute"; the module "DB" is the debugger of the process. ``tracer``
and ``monitoring`` are for one of pydevd's two ways to follow a program, the second from Python 3.12
on.
"""

from __future__ import annotations

TESTED = ">=1.8.22,<1.9"
"""The versions of debugpy that tuidbg is tested with, as in ``pyproject.toml``."""

TABLE = """
tell an exit from an exception
    DB:get_exception_breakpoint
    DB:break_on_caught_exceptions
hide suppressed exceptions
    _pydevd_bundle.pydevd_frame_utils:create_frames_list_from_exception_cause
show no return value of a function that raised: tracer
    _pydevd_bundle.pydevd_utils:get_clsname_for_code
    _pydevd_bundle.pydevd_constants:RETURN_VALUES_DICT
stop again once a program no longer traces itself: tracer
    pydevd_tracing:_internal_set_trace
    pydevd_tracing:TracingFunctionHolder._original_tracing
    DB:enable_tracing
    DB:set_trace_for_frame_and_parents
    DB:pydb_disposed
stop in no file of debugpy's
    _pydevd_bundle.pydevd_api:PyDevdAPI.set_dont_trace_start_end_patterns
    DB:dont_trace_external_files
report green threads and subinterpreters
    _pydevd_bundle.pydevd_utils:notify_about_gevent_if_needed
    _pydevd_bundle.pydevd_constants:USE_LIB_COPY
    _pydevd_bundle.pydevd_comm:notify_about_gevent_if_needed
    _pydevd_bundle.pydevd_daemon_thread:notify_about_gevent_if_needed
keep the streams of evaluations
    _pydevd_bundle.pydevd_io:IORedirector
    _pydevd_bundle.pydevd_io:RedirectToPyDBIoMessages
mangle private names in evaluations
    _pydevd_bundle.pydevd_vars:compile_as_eval
    _pydevd_bundle.pydevd_vars:_expression_to_evaluate
jump without a warning
    DB:set_next_statement
leave the program's warnings alone
    _pydevd_bundle.pydevd_comm:filter_all_warnings
    _pydevd_bundle.pydevd_constants:NULL
log swallowed errors at the end
    pydevd:PyDB.dispose_and_kill_all_pydevd_threads
end without waiting
    pydevd:PyDB._PyDB__wait_for_threads_to_finish
    DB:check_alive_thread
    DB:created_pydb_daemon_threads
    DB:_py_db_command_thread_event
end the reader without waiting for itself
    _pydevd_bundle.pydevd_comm:ReaderThread._terminate_on_socket_close
    DB:pydb_disposed
end programs without sys.argv
    _pydevd_bundle.pydevd_runpy:_ModifiedArgv0.__exit__
begin a child's traceback with its own frames
    DB:_exec
keep the connection in programs that close all descriptors
    os:closerange
    os:close
    os:dup2
    DB:writer
close only the debugger's own connection
    DB:_client_socket
stay until the functions of atexit have run
    pydevd:PyDB.has_user_threads_alive
    DB:check_alive_thread
    DB:pydb_disposed
    _pydev_bundle.pydev_is_thread_alive:is_thread_alive
    _pydevd_bundle.pydevd_utils:get_non_pydevd_threads
keep the dict of locals() during a stop
    DB:do_wait_suspend
    _pydevd_bundle.pydevd_save_locals:save_locals
    _pydevd_bundle.pydevd_constants:RETURN_VALUES_DICT
set breakpoints by the lines that were loaded
    _pydevd_bundle.pydevd_api:_get_code_lines
watch no reloads once the debugger has gone
    pydevd:PyDB.on_disconnect
set many breakpoints at once
    _pydevd_bundle.pydevd_process_net_command_json:PyDevJsonCommandProcessor.on_setbreakpoints_request
    DB:breakpoints
    DB:on_breakpoints_changed
    DB:consolidate_breakpoints
stop many threads at one breakpoint
    DB:set_suspend
    _pydevd_bundle.pydevd_api:resume_threads
    _pydevd_bundle.pydevd_comm:resume_threads
    _pydevd_bundle.pydevd_comm_constants:CMD_SET_BREAK
    _pydevd_bundle.pydevd_thread_lifecycle:suspend_threads_lock
    DB:_threads_suspended_single_notification._suspended_thread_id_to_thread
pause right behind a step
    _pydevd_bundle.pydevd_api:PyDevdAPI.request_suspend_thread
    _pydevd_bundle.pydevd_api:PyDevdAPI.request_step
    _pydevd_bundle.pydevd_api:internal_step_in_thread
    _pydevd_bundle.pydevd_constants:ForkSafeLock
step over calls at full speed: tracer
    DB:do_wait_suspend
    DB:set_trace_for_frame_and_parents
    DB:breakpoints
    DB:mtime
    DB:has_plugin_line_breaks
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_OVER
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_OVER_MY_CODE
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_RETURN
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_RETURN_MY_CODE
    pydevd_file_utils:get_abs_path_real_path_and_base_from_file
    pydevd_tracing:TracingFunctionHolder._original_tracing
count the frames that are left out
    DB:cmd_factory.make_get_thread_stack_message
    DB:apply_files_filter
    DB:_exclude_filters_enabled
    DB:_exclude_by_filter
    pydevd_file_utils:absolute_path
    _pydevd_bundle.pydevd_net_command:NetCommand
    _pydevd_bundle._debug_adapter.pydevd_base_schema:BaseSchema._translate_id_to_dap
send a step's details with its stop
    DB:cmd_factory.make_thread_suspend_single_notification
    DB:cmd_factory.make_get_thread_stack_message
    DB:suspended_frames_manager.get_frames_list
    _pydevd_bundle.pydevd_process_net_command_json:PyDevJsonCommandProcessor.on_next_request
    _pydevd_bundle.pydevd_process_net_command_json:PyDevJsonCommandProcessor.on_stepin_request
    _pydevd_bundle.pydevd_process_net_command_json:PyDevJsonCommandProcessor.on_stepout_request
    _pydevd_bundle.pydevd_net_command:NetCommand
    _pydevd_bundle._debug_adapter.pydevd_base_schema:BaseSchema._translate_id_to_dap
show where an exception came from
    _pydevd_bundle.pydevd_frame_utils:create_frames_list_from_traceback
stop in code that own code has made
    DB:in_project_scope
    DB:get_file_type
    DB:get_cache_file_type
    pydevd:LIB_FILE
show sources that are no files
    _pydevd_bundle.pydevd_api:PyDevdAPI.get_decompiled_source_from_frame_id
    DB:suspended_frames_manager.get_variable
tell bytecode from sources
    _pydevd_bundle.pydevd_process_net_command_json:PyDevJsonCommandProcessor.on_source_request
    _pydevd_bundle.pydevd_net_command:NetCommand
find relative sources in zips
    pydevd_file_utils:_get_relative_filename_abs_path
find sources in zips
    pydevd_file_utils:exists
step into none of pytest's calls
    _pydevd_bundle.pydevd_comm:pydevd_bytecode_utils.calculate_smart_step_into_variants
connect no children once the debugger has gone
    _pydev_bundle.pydev_monkey:_get_apply_arg_patching
    pydevd:SetupHolder.setup
    DB:pydb_disposed
let forked children run without a debugger
    pydevd:settrace_forked
    DB:dispose_and_kill_all_pydevd_threads
    pydevd_tracing:restore_sys_set_trace_func
    _pydev_bundle.pydev_monkey:undo_patch_thread_modules
stop at the exceptions of forked children: monitoring
    pydevd:PyDB.patch_threads
    pydevd:pydevd_sys_monitoring.update_monitor_events
wait for no debugger that has gone
    pydevd:PyDB.wait_for_ready_to_run
    DB:ready_to_run
    DB:pydb_disposed
    DB:process_internal_commands
    DB:_py_db_command_thread_event
    pydevd:TIMEOUT_FAST
connect without waiting
    pydevd:PyDB.initialize_network
    pydevd:time
run a script in the namespace that Python makes
    _pydevd_bundle.pydevd_runpy:_run_code
keep the main module until the end
    _pydevd_bundle.pydevd_runpy:_TempModule.__exit__
report a Python that a shell starts
    _pydev_bundle.pydev_monkey:patch_args
    os:system
wake threads at once
    DB:get_internal_queue_and_event
    DB:_thread_events
leave Django alone until the program imports it
    _pydevd_bundle.pydevd_xml:_create_default_type_map
send at once
    DB:writer
run breakpoints and steps at full speed: monitoring
    pydevd:pydevd_sys_monitoring
    DB:breakpoints
    DB:on_breakpoints_changed
    DB:on_disconnect
    DB:enable_tracing
    DB:disable_tracing
    DB:set_suspend
    DB:do_wait_suspend
    DB:_files_filtering
    DB:function_breakpoint_name_to_breakpoint
    DB:handle_breakpoint_condition
    DB:handle_breakpoint_expression
    DB:has_plugin_line_breaks
    DB:show_return_values
    DB:pydb_disposed
    DB:ready_to_run
    DB:apply_files_filter
    DB:cmd_factory
    DB:get_file_type
    DB:is_files_filter_enabled
    DB:writer
    pydevd:pydevd_sys_monitoring.disable_code_tracing
    pydevd:pydevd_sys_monitoring.enable_code_tracing
    pydevd:pydevd_sys_monitoring.update_monitor_events
    _pydevd_bundle.pydevd_comm_constants:CMD_SET_BREAK
    _pydevd_bundle.pydevd_comm_constants:CMD_SET_FUNCTION_BREAK
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_INTO
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_INTO_MY_CODE
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_OVER
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_OVER_MY_CODE
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_RETURN
    _pydevd_bundle.pydevd_comm_constants:CMD_STEP_RETURN_MY_CODE
    _pydevd_bundle.pydevd_constants:RETURN_VALUES_DICT
    _pydevd_bundle.pydevd_additional_thread_info:set_additional_thread_info
    _pydevd_bundle.pydevd_breakpoints:LineBreakpoint
    _pydevd_bundle.pydevd_dont_trace_files:DONT_TRACE
"""
