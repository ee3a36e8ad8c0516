"""The words that the judge knows about: small tables of plain regulatory English.

They are no dictionary. What is missing here is compared by its vector (`alignment.py`).
"""


def _groups(table: str) -> dict[str, str]:
    """Each word of a line with the line's first word."""
    lines = (line.split() for line in table.strip().splitlines())
    return {word: line[0] for line in lines for word in line}


def _pairs(table: str) -> dict[str, frozenset[str]]:
    """Each word with all its opposites."""
    opposites: dict[str, set[str]] = {}
    for line in table.strip().splitlines():
        left, right = (side.split() for side in line.split("|"))
        for one, other in [(a, b) for a in left for b in right]:
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in opposites.items()}


IRREGULAR = _groups("""
be am is are was were been being
have has had having
do does did done
begin began begun
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
come came
cost costs
choose chose chosen
drive drove driven
fall fell fallen
feel felt
find found
fly flew flown
get got gotten
give gave given
go went gone
grow grew grown
hang hung hangs
hear heard
hold held
keep kept
know knew known
lay laid
lead led
leave left
lend lent
lie lay lain lying
lose lost
make made
mean meant
meet met
pay paid
rise rose risen
run ran
say said
see saw seen
sell sold
send sent
show showed shown
sit sat
spend spent
speak spoke spoken
stand stood
steer steered
strike struck stricken
take took taken
tell told
think thought
wear wore worn
win won
write wrote written
child children
man men
woman women
person people persons
""")

#: Words of one meaning where rules are concerned; the first stands for all of them.
SYNONYMS = _groups("""
vessel ship boat craft
skipper captain
harbour harbor port
quay pier wharf
announce notify inform tell report declare disclose communicate state mention
answer reply respond
pay settle
due fee charge toll
penalty fine
expense cost price
keep retain preserve store
delete erase destroy
leave depart sail departure
enter entry
arrive arrival come
begin start commence
end finish conclude expire expiry
stop halt cease
refuse reject deny refusal denial
issue grant hand
extend prolong extension renew lengthen
decide determine decision determination
use operate work utilise utilize
appoint name designate nominate
inspect examine inspection examination
log record register
sign signature
show display exhibit
employ employee staff
move shift relocate
immediately promptly
yearly annual annually
raise increase
wrong incorrect
maximum limit
licence license
big large
small little
need require
assist help aid
conduct behave behaviour behavior
responsible answerable accountable
advise advice counsel
command charge
listen monitor
exceed surpass
object appeal
hoist hang
shed warehouse
person human
different other another
correct amend
forbid prohibit ban
allow permit
midday noon
night nightly
latest newest
particular specific
call telephone phone
letter writing written write
send forward transmit
publish publication
review assess evaluate
free gratis
last past previous
reside located locate placed place
rename renamed
symlink link
""")

OPPOSITES = _pairs("""
before | after
above over | below under
inside | outside
more longer higher greater later | less fewer shorter lower earlier
minimum | maximum
increase raise | decrease reduce lower
open | close
begin start | end
enter arrive | leave depart
include included | exclude excluded
include contain | absent lack omit
day | night
front | back rear
smallest | largest biggest
true | false
north | south
east | west
first | last
present | absent
load | unload
early | late
inner innermost | outer outermost
old | new
big large | small little
keep retain preserve | remove delete discard
public | private
sunrise | sunset
bow | stern
paid | unpaid
allow permit | forbid prohibit
accept grant | refuse reject
white | red green black blue
red | green black blue
sea | road rail air
even | odd
major | minor
uppercase | lowercase
same identical | different
success succeed | failure fail
upper | lower
internal | external
local | remote
static | variable dynamic
absolute | relative
temporary | permanent
left | right
horizontal | vertical
summer | winter
buy | sell
add | remove delete
enable | disable
accept | reject
create | delete remove
compressed | uncompressed
upstream | downstream
input | output
read | write
import | export
natural | artificial
manual manually | automatic automatically
mandatory compulsory | optional voluntary
senior | junior
male | female
employer | employee
wet | dry
hot warm | cold
full | empty
strong | weak
high | low
long | short
fast | slow
wide | narrow
heavy | light
clockwise | anticlockwise
ascending | descending
forward | backward
always | never
native | foreign
parent | child
""")

#: Words without content for the comparison: grammar, modality, negation.
GRAMMAR = frozenset(
    """
    a an the this that these those it its he she they them their his her you your we our us i my
    who whom whose which what how much many why whoever whatever there here and or but nor so as
    than then also too
    of to in on at by for from with into onto upon about via per through within during between
    among against toward towards out off up down is am are was were be been being do does did done
    have has had having shall must should may can could might will would need needs ought not no
    never cannot nobody none nothing without unless except if where when whenever while until once
    only just even still already yet any anyone anybody each every everyone everybody all some
    such both either neither same own one ones case time times something somebody someone
    however therefore thus otherwise instead respectively apart reserved because whereas whether
    although though
    allowed allow permitted permit forbidden forbid prohibited prohibit banned obliged required
    require mandatory recommended recommendation recommend advised advisable obligation permission
    entitled able means mean least most more less fewer than maximum minimum
    exception exceptions said says say example instance very round etc namely
    """.split()  # noqa: SIM905 - a list of them would be a page
)

#: Verbs that say little: a claim is not about them.
LIGHT = frozenset(
    """
    make take give get put come go hold set bring let happen become remain stay have do state
    count apply concern regard involve occur carry be know want place period event act matter
    fact basis rule provision part total kind way thing rest state purpose amount sum reason
    before after above below over under inside outside first last longer shorter higher lower
    later earlier latest other way several various multiple person people around
    """.split()  # noqa: SIM905 - a list of them would be a page
)

#: Who is meant if anybody is.
ANYBODY = frozenset(
    """
    anyone anybody everyone everybody nobody whoever person someone you who none one it they
    we he she this that these those
    """.split()  # noqa: SIM905 - a list of them would be a page
)
