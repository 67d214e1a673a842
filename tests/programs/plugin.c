int plugin_call(int number) {
    int answer = number * 2;
    return answer;
}
