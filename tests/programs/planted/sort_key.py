"""A ranking of players: points are texts, and sorted as such."""


class Player:
    def __init__(self, name, points):
        self.name = name
        self.points = points
        self.rank = 0
        self.prize = 0


def by_points(player):
    return player.points


def parse(text):
    players = []
    for line in text.strip().splitlines():
        name, _, points = line.partition(":")
        players.append(Player(name.strip(), points.strip()))
    return players


class Ranking:
    def __init__(self, players):
        self.players = list(players)
        self.winner = None

    def sort(self):
        self.players.sort(key=by_points, reverse=True)  # planted
        for rank, player in enumerate(self.players, 1):
            player.rank = rank

    def choose(self):
        self.winner = self.players[0]
        return self.winner

    def award(self, prizes):
        for player, prize in zip(self.players, prizes):
            player.prize = prize


TEXT = """
Ada: 120
Bert: 95
Carla: 101
Dora: 7
"""

PRIZES = (100, 50, 25)


def table(ranking):
    lines = []
    for player in ranking.players:
        lines.append(f"{player.rank}. {player.name} {player.points}")
    return lines


def sum_of_prizes(ranking):
    total = 0
    for player in ranking.players:
        total += player.prize
    return total


def longest_name(ranking):
    longest = ""
    for player in ranking.players:
        if len(player.name) > len(longest):
            longest = player.name
    return longest


def run(text):
    ranking = Ranking(parse(text))
    ranking.sort()
    ranking.award(PRIZES)
    return ranking, ranking.choose()


ranking, winner = run(TEXT)
lines = table(ranking)
spent = sum_of_prizes(ranking)
width = len(longest_name(ranking))
name = winner.name
EXPECTED = "Ada"
wrong = name != EXPECTED
