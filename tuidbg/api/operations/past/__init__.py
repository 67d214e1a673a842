"""Operations on the recorded run of a program."""
