module passes

go 1.19
