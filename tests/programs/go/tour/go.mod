module example.com/tour

go 1.19
