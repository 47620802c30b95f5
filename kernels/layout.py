"""Names of numbers: the enums and records that the analyzer and the kernels share.

Cards are integers `suit * 16 + rank`, suits C D H S = 0..3, rank 0 the lowest of the deck in the deck's *own* order (52 cards: 2..A = 0..12; Spanish Solo:
3 4 5 6 J Q K A 7 = 0..8), so a higher bit of one suit always beats a lower one. A hand is an int64 mask with bit `card` set: the highest bit in use is 60,
so every mask is a positive int64 and no unsigned arithmetic is needed.

Seats 0..n-1 in the direction of play: seat k+1 plays after seat k.

Calls are integers that grow with the call: pass 0; Israeli Whist `1 + (tricks - 1) * 5 + denomination` (C D H S NT = 0..4); Spanish Solo `Contract`.
"""

from enum import IntEnum

import numpy as np

MAX_SEATS = 7
MAX_HAND = 17          # cards in a hand: 3 players share 51 of 52
MAX_TRICKS = 17
MAX_DECK = 52
MAX_CALLS = 240        # 45 bids, at most 4 passes after each, 4 per round that a gulash follows
MAX_GULASHES = 4
MAX_SCHEDULE = 64      # deals in a schedule
SUITS = 4
SUIT_BITS = 16
RANKS = 13
MOST_CHIPS = 10**12    # in a pool, which stops doubling at half of it: within a hundred deals of hopeless soloists it would run over; ours [D]
NONE = -1              # no card, no seat, no bid yet
PASS = 0


class Denomination(IntEnum):
    """Trump of a deal, in the order of Israeli Whist bids."""

    C = 0
    D = 1
    H = 2
    S = 3
    NT = 4


class TrumpSource(IntEnum):
    """What decides trump (`trump.source`)."""

    TURNUP = 0
    NONE = 1
    AUCTION = 2
    SOLOIST = 3


class Exhausted(IntEnum):
    """Trump where no card is left to turn up (`trump.when_exhausted`)."""

    NONE = 0
    DEALER_LAST = 1
    CUT = 2


class First(IntEnum):
    """Who opens the Israeli Whist auction (`auction.first`)."""

    DEALER_LEFT = 0
    DEALER = 1


class AllPass(IntEnum):
    """What follows an auction without a bid (`auction.all_pass`)."""

    REDEAL_SAME = 0
    REDEAL_NEXT = 1
    GULASH = 2


class Direction(IntEnum):
    """Where the cards of a gulash go (`gulash.direction`)."""

    RIGHT = 0
    LEFT = 1
    ACROSS = 2


class Rebids(IntEnum):
    """May the declarer name another number (`contract.declarer_rebids`)."""

    NONE = 0
    AT_LEAST = 1


class Mode(IntEnum):
    """How bids are made (`bidding.mode`)."""

    SEQUENTIAL = 0
    SIMULTANEOUS = 1
    SECRET = 2


class Hook(IntEnum):
    """What the last bidder's sum may not or must be (`bidding.hook`; `contract.hook13` compiles to NOT_EQUAL)."""

    NONE = 0
    NOT_EQUAL = 1
    MUST_EXCEED = 2
    COOP_EQUAL = 3


class TrumpLead(IntEnum):
    """When trumps may be led (`play.trump_lead`)."""

    ANYTIME = 0
    AFTER_BROKEN = 1
    AFTER_FIRST_TRICK = 2


class Contract(IntEnum):
    """Spanish Solo calls above pass, low to high (rules.md 3.1)."""

    JUEGO = 1
    JUEGO_DIAMONDS = 2
    BOLA = 3
    BOLA_DIAMONDS = 4
    SIN_PEDIR = 5
    SIN_PEDIR_DIAMONDS = 6


class ReducedSeat(IntEnum):
    """Which soloist needs fewer points (`juego.reduced_seat`), as seats after the dealer modulo 3; NONE: nobody."""

    DEALER = 0
    ELDEST = 1
    DEALER_LEFT = 2
    NONE = 3


class PoolWin(IntEnum):
    """What a successful soloist takes from the pool (`pool.on_win`)."""

    NONE = 0
    ALL = 1


class PoolLoss(IntEnum):
    """What a failing soloist pays into the pool (`pool.on_loss`)."""

    NONE = 0
    DOUBLE = 1


class End(IntEnum):
    """When a whole game ends (`game.end`)."""

    SCHEDULE = 0
    DEALS = 1
    TARGET = 2


class Tie(IntEnum):
    """What a tie at the top means (`game.tie`)."""

    STAND = 0
    SUDDEN_DEATH = 1


class Side(IntEnum):
    """Sum of all bids against the number of tricks."""

    UNDER = 0
    EXACT = 1
    OVER = 2


class Player(IntEnum):
    """How a policy decides."""

    RANDOM = 0
    RULES = 1
    LEARNED = 2


class Tape(IntEnum):
    """What a decision on the tape of a training deal was."""

    PLAY = 0       # a card: candidates are cards
    BID = 1        # a bid, or the number of tricks that a declarer stands at: one candidate, the bid itself
    CALL = 2       # a call in an auction: candidates are calls
    GULASH = 3     # one of the cards handed over in a gulash: candidates are cards
    CONTRACT = 4   # Spanish Solo: a call, trump or card given: one candidate, the contract and trump aimed at or the pass


class Purpose(IntEnum):
    """Streams of random numbers of a deal beyond those of seats 0..6."""

    DEAL = 7
    GAME = 8
    WORLD = 9


class Decision(IntEnum):
    """The kinds of decision, in the words of a situation (contracts.md 5)."""

    NONE = 0
    CALL = 1
    GULASH = 2
    BID = 3
    TRUMP = 4
    ASK = 5
    GIVE = 6
    CARD = 7


class Worlds(IntEnum):
    """What becomes of the worlds that come with a question."""

    NONE = 0       # there are none: every deal is dealt
    PLAYED = 1     # their hands are played
    DRAWN = 2      # hands that follow what was said are drawn, nothing is played
    WEIGHED = 3    # how likely each seat says what it said with these hands is noted, nothing is played


def record(*fields: tuple) -> np.dtype:
    """Return an aligned structure that numba takes as a record and plain Python as an object with attributes."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


# points[cards, side, bid, tricks] in units of `score.unit`; rows of hand sizes that the rules never deal are zero
POINTS_SHAPE = (MAX_HAND + 1, 3, MAX_HAND + 1, MAX_TRICKS + 1)

RULES = record(
    ("n_seats", np.int64),
    ("n_ranks", np.int64),
    ("deck_mask", np.int64),
    ("trump_source", np.int64),
    ("trump_when_exhausted", np.int64),
    ("auction_min_bid", np.int64),
    ("auction_first", np.int64),
    ("auction_end_passes", np.int64),
    ("auction_reentry", np.int64),
    ("auction_forced_last", np.int64),
    ("auction_all_pass", np.int64),
    ("gulash_cards", np.int64),
    ("gulash_max", np.int64),
    ("gulash_direction", np.int64),
    ("gulash_min_bid_step", np.int64),
    ("contract_declarer_rebids", np.int64),
    ("bidding_mode", np.int64),
    ("bidding_hook", np.int64),            # contract.hook13 = last_speaker is NOT_EQUAL here
    ("bidding_hook_min_hand", np.int64),   # cards a hand
    ("play_must_trump", np.int64),
    ("play_must_head", np.int64),
    ("play_trump_lead", np.int64),
    ("juego_target", np.int64),            # card points plus tricks
    ("juego_reduced_seat", np.int64),
    ("juego_reduced_target", np.int64),
    ("bola_trump_first", np.int64),
    ("nosolo_stake", np.int64),            # chips
    ("pool_ante", np.int64),               # chips a seat
    ("pool_pass_fee", np.int64),           # chips a pass
    ("pool_on_win", np.int64),
    ("pool_on_loss", np.int64),
    ("trick_points", np.int64),            # points a trick adds to the card points: 1 in Spanish Solo, else 0
    ("touching", np.int64),                # mask of cards with the same card points as the card below in their suit
    ("card_points", np.int64, (SUIT_BITS,)),      # by rank, 0 in the other games
    ("contract_value", np.int64, (8,)),           # chips between the soloist and each defender, by Contract
    ("score_all_fail_zero", np.int64),
    ("score_all_same_double", np.int64),
    ("score_low_wins", np.int64),
    ("score_by_side", np.int64),           # bit b set: the score of bid b depends on over or under
    ("game_end", np.int64),
    ("game_target", np.int64),             # score, in units
    ("game_deals", np.int64),              # deals of a whole game where game_end is DEALS
    ("game_max_deals", np.int64),
    ("game_tie", np.int64),
    ("n_schedule", np.int64),
    ("schedule", np.int64, (MAX_SCHEDULE,)),      # cards a hand, deal by deal
    ("points", np.int64, POINTS_SHAPE),
)

# A policy: how it decides, its named weights (data/policies/*.toml gives units and meanings), and where its tables start in the array of weights.
POLICY = record(
    ("player", np.int64),
    ("will_needs", np.float64),            # share
    ("will_full", np.float64),             # share
    ("will_unknown", np.float64),          # share
    ("rest", np.float64),                  # tricks per expected trick
    ("risk", np.float64),                  # square tricks per p(1-p)
    ("spare", np.float64),                 # chance per expected trick
    ("cheap", np.float64),                 # chance per expected trick
    ("seat_shift", np.float64),            # tricks per seat after the leader
    ("sum_shift", np.float64),             # tricks per trick
    ("duck_shift", np.float64),            # tricks per trick
    ("zero_margin", np.float64),           # points
    ("call_margin", np.float64),           # points
    ("usual_level", np.float64),           # tricks
    ("trick_gain", np.float64),            # card points per trick
    ("keep", np.float64),                  # card points per expected trick
    ("solo_margin", np.float64),           # chips
    ("solo_made", np.float64),             # share
    ("explore", np.float64),               # share
    ("slips", np.float64),                 # share of cards drawn at random, and of bids that miss by one
    ("draw", np.float64),                  # 1: draws cards and calls by their chances, for training; 0: takes the best
    ("net_play", np.int64),                # networks, places of float32: PLAY_SHARED, PLAY_OWN
    ("net_bid", np.int64),                 # BID_SHARED, BID_OWN
    ("net_call", np.int64),                # CALL_SHARED, CALL_OWN
    ("net_gulash", np.int64),              # CALL_SHARED, CALL_OWN
    ("net_soloist", np.int64),             # Spanish Solo: cards of a soloist, a defender, a seat in a deal without a soloist: PLAY_SHARED, PLAY_OWN
    ("net_defender", np.int64),
    ("net_alone", np.int64),
    ("net_contract", np.int64),            # what becomes of a contract and trump, of a pass: BID_SHARED, BID_OWN
    ("net_pass", np.int64),
    ("prices", np.int64),                  # PRICES_SHAPE, place of float32
    ("stakes", np.int64),                  # POINTS_SHAPE: the scheme's scores in usual stakes, larger is better
    ("odds", np.int64),                    # table offsets: ODDS_SHAPE
    ("expect", np.int64),                  # EXPECT_SHAPE
    ("duck", np.int64),                    # EXPECT_SHAPE without the second axis
    ("worth", np.int64),                   # WORTH_SHAPE
    ("sides", np.int64),                   # SIDES_SHAPE
    ("solo", np.int64),                    # SOLO_SHAPE
)

KINDS = 3              # of a card: plain, trump, any in no-trump
LENGTHS = 9            # cards of the suit in the hand, 8 stands for more
HIGHER = 13            # unseen cards above it
# odds[unseen, of a kind, cards of a hand]: P(that hand holds none of the kind)
ODDS_SHAPE = (MAX_DECK + 1, 14, MAX_HAND + 1)
# expect[cards, cards left, kind, length, higher]: P(the card takes a trick)
EXPECT_SHAPE = (MAX_HAND + 1, MAX_HAND + 1, KINDS, LENGTHS, HIGHER)
DUCK_SHAPE = (MAX_HAND + 1, KINDS, LENGTHS, HIGHER)
# aim[cards, role, bucket of expected tricks - bid, difference + 4]: P(tricks - bid is the difference); the last buckets are for zero bids,
# by the tricks that ducking does not avoid
AIM_STEP = 0.125       # tricks a bucket
AIM_BUCKETS = 49       # -3 to 3 tricks
ZERO_STEP = 0.125      # tricks a bucket
ZERO_BUCKETS = 24      # 0 to 3 tricks
DIFFERENCES = 9        # -4 to 4; zero bids 0 to 8
ROLES = 4              # 1: leads to the first trick (in Israeli Whist the declarer), 0: does not; 2 more without trump
AIM_SHAPE = (MAX_HAND + 1, ROLES, AIM_BUCKETS + ZERO_BUCKETS, DIFFERENCES)
# worth[cards, role, side, bid, bucket]: expected score of a bid in units, larger is better: aim weighed with the scheme's points
WORTH_SHAPE = (MAX_HAND + 1, ROLES, 3, MAX_HAND + 1, AIM_BUCKETS + ZERO_BUCKETS)
# sides[cards, seats yet to bid, sum so far]: P(under), P(exact), P(over)
MAX_SUM = 48
SIDES_SHAPE = (MAX_HAND + 1, MAX_SEATS, MAX_SUM + 1, 3)
# solo[juego, bola, sin pedir; bucket of strength]: P(made)
SOLO_BUCKETS = 64      # juego: card points 0 to 63; slams: expected tricks in steps of 0.25
SOLO_SHAPE = (3, SOLO_BUCKETS)

# Networks: hidden units, and inputs that all candidates of a decision share and that each has for itself; even numbers (network.py)
UNITS = 32
PLAY_SHARED, PLAY_OWN = 48, 24
BID_SHARED, BID_OWN = 48, 14
CALL_SHARED, CALL_OWN = 18, 12
# chances[side, difference + SHORTEST] of a bid, the ends stand for more
SPANS = 16
SHORTEST = 6           # tricks below the bid
OUTPUTS = 3 * SPANS
# Numbers of a network
PLAY_SIZE = (PLAY_SHARED + PLAY_OWN + 1) * UNITS
BID_SIZE = (BID_SHARED + BID_OWN) * UNITS + (UNITS + 1) * OUTPUTS
CALL_SIZE = (CALL_SHARED + CALL_OWN + 1) * UNITS
# prices[cards, bid, side, difference + SHORTEST]: the scheme's score in usual stakes
PRICES_SHAPE = (MAX_HAND + 1, MAX_HAND + 1, 3, SPANS)
WORK = 16384           # numbers
ANNOUNCED = 8192       # of `work`: chances of every bid, OUTPUTS each, where a learned seat announces them
TAPE = 128             # decisions

# A question: what is known before the deal, and what has been decided. Everything that is not given is dealt or decided by the policies.
SETUP = record(
    ("seed", np.uint64),
    ("first", np.int64),                   # number of the first deal or game
    ("games", np.int64),                   # 1: whole games, 0: single deals
    ("dealer", np.int64),                  # NONE: number modulo seats; in games drawn at random
    ("cards", np.int64),                   # 0: schedule[number modulo its length]
    ("pool", np.int64),                    # chips before the deal
    ("turned", np.int64),                  # 1: policies[k] sits k seats after the dealer's next; 0: policies[k] is seat k
    ("turnup", np.int64),                  # card, NONE: drawn
    ("no_turnup", np.int64),               # 1: play without a turn-up even where a card is left
    ("held", np.int64, (MAX_SEATS,)),      # cards known to be in this seat's hand as dealt
    ("voids", np.int64, (MAX_SEATS,)),     # bit s set: this seat was dealt no card of suit s
    ("stock", np.int64),                   # cards known to be in nobody's hand
    ("apart", np.int64, (MAX_SEATS,)),     # cards known not to be in this seat's hand; only worlds heed it
    ("worlds", np.int64),                  # Worlds
    ("chain", np.int64),                   # worlds to draw in each chain
    ("drawn", np.int64),                   # worlds drawn in it before
    ("burn_in", np.int64),                 # swaps tried before the first world of a chain
    ("swaps", np.int64),                   # swaps tried from one world to the next
    ("slips", np.float64),                 # share of calls and bids that are not the policy's own (listening.py); NONE: they do not weigh
    ("deals_before", np.int64),            # whole games: deals played before the question
    ("totals", np.int64, (MAX_SEATS,)),    # whole games: scores before the question, in units
    ("stop", np.int64),                    # 1: stop at the first decision that the script does not make, 2: and let a learned seat announce its bids
    ("n_calls", np.int64),
    ("calls", np.int64, (MAX_CALLS,)),     # as spoken, over all rounds
    ("n_gulash", np.int64),                # gulashes whose cards are given below
    ("gulash", np.int64, (MAX_GULASHES, MAX_SEATS)),   # cards each seat hands over, 0: decided by its policy
    ("contract", np.int64),                # Israeli Whist: call that closed an auction whose calls are unknown; NONE: play the auction
    ("declarer", np.int64),                # seat, with `contract`
    ("exchanged", np.int64),               # gulashes after which the seats hold `held` and the hands of worlds
    ("named_by", np.int64),                # seat that names trump, asks and gives as follows; NONE: whoever does
    ("trump", np.int64),                   # Spanish Solo: as named, NONE: decided by the policy
    ("asked", np.int64),                   # card, NONE: decided by the policy
    ("given", np.int64),                   # card, NONE: decided by the policy
    ("n_bids", np.int64),
    ("bids", np.int64, (MAX_SEATS,)),      # as spoken; NONE: decided by the policy
    ("n_play", np.int64),
    ("play", np.int64, (MAX_DECK,)),       # as played
)

# What a seat may see at its turn: its own hand and what everybody knows.
TABLE = record(
    ("hand", np.int64),                    # own cards, those of this trick still to be played included
    ("seat", np.int64),                    # own seat
    ("decision", np.int64),                # Decision
    ("n_seats", np.int64),
    ("dealer", np.int64),
    ("cards", np.int64),                   # cards a hand as dealt
    ("turnup", np.int64),                  # card or NONE
    ("trump", np.int64),                   # Denomination, NONE before it is known
    ("seen", np.int64),                    # cards played and a turn-up that is out of play
    ("pool", np.int64),                    # chips, antes and passes so far included
    ("score", np.int64, (MAX_SEATS,)),     # game totals before this deal, in units
    ("n_gulash", np.int64),                # gulashes so far
    ("high", np.int64),                    # highest call so far, PASS: none
    ("high_seat", np.int64),               # who made it
    ("passes", np.int64),                  # passes in a row
    ("passed", np.int64, (MAX_SEATS,)),    # 1: has passed in this auction
    ("lowest_call", np.int64),             # lowest call that may be made now besides pass; above highest_call: none
    ("highest_call", np.int64),            # highest call of the game
    ("may_pass", np.int64),
    ("declarer", np.int64),                # Israeli Whist declarer, Spanish Solo soloist; NONE
    ("contract", np.int64),                # closing call, NONE
    ("n_spoken", np.int64),                # bids spoken so far
    ("bid_sum", np.int64),                 # sum of the bids spoken so far
    ("legal_bids", np.int64),              # bit b set: b may be bid now
    ("legal_trumps", np.int64),            # bit s set: suit s may be named now
    ("bids", np.int64, (MAX_SEATS,)),      # NONE where unspoken or secret
    ("asked", np.int64),                   # bola: card asked for, NONE
    ("asked_from", np.int64),              # its holder before the exchange
    ("leader", np.int64),                  # of this trick
    ("led", np.int64),                     # suit led to this trick, NONE for the leader
    ("best_card", np.int64),               # winning the trick so far, NONE for the leader
    ("best_seat", np.int64),
    ("trick_points", np.int64),            # card points lying in this trick
    ("n_played", np.int64),                # cards in this trick
    ("trick_no", np.int64),                # tricks finished
    ("broken", np.int64),                  # 1: a trump has been played
    ("tricks", np.int64, (MAX_SEATS,)),
    ("points", np.int64, (MAX_SEATS,)),    # card points plus tricks (Spanish Solo)
    ("voids", np.int64, (MAX_SEATS,)),     # bit s set: this seat has shown out of suit s
    ("work", np.float32, (WORK,)),         # scratch of a network within one decision; in training the inputs of all decisions, for the learner
    ("work_at", np.int64),                 # where the next decision may write
    ("n_tape", np.int64),                  # decisions noted
    ("tape", np.int64, (TAPE, 6)),         # Tape, seat, place of the inputs in `work`, candidates, the chosen one, the bid, call or whether it is a pass
)

MEMO = 26              # numbers that a seat may keep from one of its calls to the next; the first is 0 before it has thought
# What lies face down: the kernels' own, never shown to a policy.
DEAL = record(
    ("hands", np.int64, (MAX_SEATS,)),     # as held now
    ("sizes", np.int64, (MAX_SEATS,)),     # cards a seat is dealt
    ("start", np.int64, (MAX_SEATS,)),     # cards known to be in a hand while the rest is dealt
    ("stock", np.int64),                   # cards that nobody holds, the turn-up not among them
    ("policy_of", np.int64, (MAX_SEATS,)),            # who calls, bids, names, asks and gives for a seat, of the array of policies
    ("plays_by", np.int64, (MAX_SEATS,)),             # who plays its cards
    ("bids", np.int64, (MAX_SEATS,)),      # secret ones too
    ("calls_made", np.int64),              # over all rounds
    ("listens", np.int64),                 # bit s set: what the script says for seat s is judged
    ("chances", np.float64, (MAX_SEATS,)), # by seat: how likely it says what it said
    ("heard", np.float64),                 # the same of all seats that are listened to
    ("least", np.float64),                 # a world in which less is heard is given up
    ("memo", np.float64, (MAX_SEATS, MEMO)),          # what each seat has worked out from its own hand in this auction
    ("rng", np.uint64, (12,)),             # one stream a seat, then Purpose
)

# Where the cards may lie.
WORLD = record(
    ("hands", np.int64, (MAX_SEATS,)),     # as dealt, or after the gulashes of the question
    ("chances", np.float64, (MAX_SEATS,)), # how likely each seat says what it said; 1 where nothing was heard
)

# What happened in one deal.
FACTS = record(
    ("game_no", np.int64),
    ("deal_no", np.int64),                 # deal within the game, 0 for single deals
    ("played", np.int64),                  # 0: thrown in
    ("weight", np.float64),                # importance weight of the deal under `voids`, 1 without
    ("dealer", np.int64),
    ("cards", np.int64),
    ("hands", np.int64, (MAX_SEATS,)),     # as dealt
    ("turnup", np.int64),
    ("trump", np.int64),
    ("n_calls", np.int64),
    ("calls", np.int16, (MAX_CALLS,)),
    ("call_seats", np.int8, (MAX_CALLS,)),
    ("n_gulash", np.int64),
    ("gulash_after", np.int64, (MAX_GULASHES,)),       # number of calls before each gulash
    ("gulash", np.int64, (MAX_GULASHES, MAX_SEATS)),   # cards that each seat handed over
    ("declarer", np.int64),                # Spanish Solo: soloist
    ("contract", np.int64),                # closing call, NONE
    ("asked", np.int64),
    ("asked_from", np.int64),
    ("given", np.int64),
    ("pool_before", np.int64),
    ("pool_after", np.int64),
    ("bids", np.int64, (MAX_SEATS,)),
    ("leader", np.int64),
    ("play", np.int8, (MAX_DECK,)),
    ("tricks", np.int64, (MAX_SEATS,)),
    ("points", np.int64, (MAX_SEATS,)),
    ("scores", np.int64, (MAX_SEATS,)),    # in units, under the rules in force
    ("pending", np.int64),                 # Decision at which a script with `stop` ended, else NONE of Decision
    ("fault", np.int64),                   # Decision at which the script broke the rules, else NONE of Decision
    ("fault_at", np.int64),                # number of that call, bid or card, from 0
)

GAME = record(
    ("n_deals", np.int64),
    ("finished", np.int64),                # 0: stopped at game.max_deals
    ("totals", np.int64, (MAX_SEATS,)),    # in units
    ("winners", np.int64),                 # bit k: seat k
    ("pool", np.int64),                    # left at the end
)
