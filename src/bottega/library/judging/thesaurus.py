"""Words that can stand for each other in rules and manuals: derivations and near synonyms.

A word may be in several groups (`keep` a record, `keep` still): two words are related if they share
one, so a group does not spread the way one word for all of them would. Lines are general English
of regulations and technical manuals; what is missing here is compared by its vector.
"""

from functools import lru_cache

from bottega.library.judging.vocabulary import IRREGULAR
from bottega.library.judging.words import forms, stem

_DERIVED = """
decide decision | permit permission | oblige obligation obligatory | comply compliance compliant
extend extension | expand expansion | retain retention | destroy destruction destructive
receive receipt reception recipient | maintain maintenance maintainer | choose choice
succeed success successful | fail failure | lose loss | sell sale seller | pay payment
apply application applicant applicable | know knowledge | describe description
exclude exclusion | include inclusion | submit submission | admit admission | omit omission
divide division | conclude conclusion | revise revision | produce production product producer
reduce reduction | introduce introduction | consume consumption | assume assumption
resume resumption | acquire acquisition | require requirement | repeat repetition
compete competition | oppose opposition | propose proposal | dispose disposal | approve approval
refuse refusal | renew renewal | withdraw withdrawal | prove proof | believe belief
relieve relief | grow growth | weigh weight | high height | long length | deep depth
wide width | broad breadth | strong strength | hot heat | give gift | live life | die death
advise advice | practise practice | analyse analysis analyze | clear clarity | able ability
secure security | valid validity | urgent urgency | frequent frequency | absent absence
present presence | store storage | use usage user | ship shipment | carry carriage carrier
lead leader leadership | behave behaviour behavior | arrive arrival | depart departure
remove removal | install installation | register registration registry registrar
notify notification | identify identification identity | verify verification
specify specification | modify modification | certify certificate certification
qualify qualification | classify classification | justify justification | announce announcement
inspect inspection inspector | examine examination examiner | supervise supervision supervisor
operate operation operator | administer administration administrator
observe observation observer | inform information | document documentation | declare declaration
calculate calculation | determine determination
authorise authority authorisation authorization authorize | recommend recommendation
suggest suggestion | correct correction | protect protection | select selection
connect connection | direct direction | collect collection | elect election | inject injection
reject rejection | restrict restriction | distribute distribution distributor
contribute contribution contributor | execute execution executable | delete deletion
complete completion | translate translation | create creation creator | indicate indication
locate location | allocate allocation | communicate communication
publish publication publisher | terminate termination | suspend suspension | possess possession
transmit transmission | compile compilation compiler | compress compression
configure configuration | separate separation | depend dependency dependence dependent
differ difference different | exist existence | refer reference | prefer preference preferable
interfere interference | conform conformance | assist assistance assistant | resist resistance
occur occurrence | recur recurrence | pass passage | enter entry entrance | own owner ownership
employ employment employee employer | train training trainer | draw drawing | record recording
hear hearing | warn warning | build building | load loading | sign signature signatory
agree agreement | move movement | state statement | measure measurement | treat treatment
replace replacement | settle settlement | equip equipment | pay payable
avail available availability | responsible responsibility | possible possibility
necessary necessity | safe safety | certain certainty | honest honesty | injure injury injured
insure insurance | assure assurance | ensure assurance | visit visitor
reside resident residence | occupy occupant occupation | teach teacher
manage manager management | short shorten | wide widen | soft soften | hard harden | safe safely
read reader readable | write writer writing written | print printer printed | name named
number numbered numeric
"""

_SIMILAR = """
must obligatory mandatory compulsory required | start begin commence launch initiate
stop halt cease end discontinue | end finish conclude complete terminate expire close
allow permit authorise authorize enable let | prohibit forbid ban disallow bar
keep retain preserve store hold save maintain | keep stay remain continue
delete erase remove destroy purge wipe discard | remove withdraw detach strip take
put place install locate position set store deposit | put go belong reside
move transfer relocate shift | send forward transmit dispatch deliver submit
give provide supply hand issue furnish grant deliver | provide offer supply ship include
get obtain receive acquire gain fetch | ask request demand apply seek
answer reply respond response | tell inform notify advise report announce alert
say state declare mention specify indicate express name give | show display present exhibit
explain describe clarify explanation | contact approach consult
contain include comprise hold carry | consist comprise contain
change modify alter amend edit adjust update revise | create make generate produce build form
build compile construct make | write record enter note log register document
record log register | read view see consult inspect | check verify confirm test examine inspect
make sure ensure guarantee | use employ utilise apply | use rely depend
run execute invoke call launch start operate | call invoke | work function operate run
name call title label designate | name identify specify list
appoint name designate nominate assign | list enumerate itemise | choose select pick opt
replace substitute supersede exchange | repair fix mend restore | keep maintain service
refuse reject decline deny | accept approve admit agree | agree consent approve permission
begin start beginning | need require demand necessary want
meet comply satisfy fulfil conform | necessary needed required essential
enough sufficient adequate suffice | suitable appropriate proper fitting relevant fit
correct right proper accurate | wrong incorrect false mistaken | same identical equal equivalent
different other another distinct separate differ | separate own individual distinct
more additional further extra other | further additional also | few small little
several multiple many various more | whole entire full complete total all
part portion share piece component section | part belong member component
big large great major | short brief concise | short small brief | quick fast rapid swift
immediately promptly instantly once straightaway delay forthwith | late overdue delayed
early beforehand advance ahead before prior | beforehand advance before previously
before prior preceding previous earlier | after following later subsequent next
now current currently present | old former previous outdated obsolete legacy
new recent latest fresh | newest latest recent current | last final | first initial primary
main primary principal chief | usual normal ordinary standard common regular default
usually normally generally typically | always permanently constantly ever times
often frequently regularly | yearly annual annually year | daily day | weekly week
monthly month | hourly hour | night nightly overnight | possible able feasible practicable
impossible unable | optional voluntary discretion | free gratis charge
cost price expense charge fee | fee charge due toll | pay settle | money sum amount
fine penalty | salary wage pay | debt owe unpaid outstanding | help assist aid support
support handle allow accept provide | stop prevent avoid | avoid prevent refrain
danger risk hazard hazardous dangerous | safe secure | harm damage injure hurt
accident incident | fire blaze burn | person people human individual anyone
everyone everybody person anyone all | member person user | staff employee personnel crew worker
boss supervisor manager head | chief head leader | owner holder proprietor | holder hold keep
author writer creator | maintainer keeper | user person reader | customer client buyer
company firm business enterprise organisation organization | office bureau desk
council board committee | child minor kid | car vehicle automobile | road street
house building premises home | room hall chamber | place location site position spot
area zone region section | border boundary limit edge | limit maximum cap ceiling
limit restrict confine | restrict limit | law statute act regulation rule
rule provision regulation requirement | duty obligation responsibility
right entitlement permission | contract agreement | letter document paper writing
paper document | form sheet | file document | folder directory | directory folder catalogue
link connection connect | connect attach join | attach fix fasten | close shut | open unlock
program application software utility tool | program command script executable
package bundle archive | setting option parameter | flag option switch | default standard preset
version release edition | computer machine host system | screen display monitor
text content wording | character letter sign symbol | line row | column field | field entry
value number figure | number figure digit | word term
error fault mistake bug defect problem failure | problem issue difficulty trouble
failure fault breakdown | cause reason ground | reason purpose motive
result outcome consequence effect | aim goal purpose objective intent
intend mean aim plan purpose | plan schedule
method way manner means mechanism procedure process | step stage phase
kind type sort class category form | feature function property characteristic
condition requirement prerequisite | condition state status | example instance sample
exception exempt except | exempt free release | only solely exclusively alone
together jointly along | within inside in | inside within interior | outside external beyond
near close beside next adjacent neighbouring | beside next alongside | above over
below under beneath | high tall | low small | increase raise rise grow
decrease reduce lower cut lessen drop fall | exceed surpass over above beyond
lack absence missing without | missing absent lack | present exist available there
available accessible | reach arrive access | access reach enter use
leave depart vacate exit quit go gone | leave abandon | return back | enter come access
pass cross | stand be | lie be located | live reside dwell | wear carry don
carry bear wear transport take | take bring carry | lift raise hoist | drop fall
fly hoist raise shown | watch monitor observe supervise guard | watch guard attend
unattended alone unsupervised unwatched | listen hear monitor | hear listen
see notice spot observe detect | find discover detect locate | search look seek | look see view
think believe consider | consider regard treat deem count | count regard treat
treat handle process | handle deal process manage treat | manage run administer handle control
control manage govern regulate check | govern control regulate | lead command run
command order instruct | order command instruction | order sequence
decide determine rule settle | decide decision judge ruling | judge assess evaluate
review assess evaluate inspect examine check | appeal object challenge | object oppose challenge
disagree dispute object | conflict contradict clash differ
prevail precedence priority override | precedence priority prevail
important significant essential vital | public open | secret private confidential
reveal disclose publish give | publish issue release announce post | post publish mail
mail post email | phone telephone call | email mail message | message note notice
notice announcement note | warning notice alert caution | alarm alert | signal sign | sign mark
mark label flag tag | mark denote indicate | stamp seal | copy duplicate reproduce
print publish | translate convert | convert change transform translate | compress pack zip
pack wrap package | load fill | empty clear drain | clean clear sweep wash | wash clean
cover protect | protect guard shelter shield safeguard | save rescue | keep detain hold retain
detain hold arrest | release free | waive remit forgo | grant award give allow
extend prolong lengthen renew | renew extend | expire lapse end | valid effective good force
force effect | confirm verify acknowledge certify | acknowledge confirm receipt | sign endorse
test examine try check | train teach instruct | learn study | belong part | owned belong
refer point cite mention | point refer | separated divided split | split divide separate
combine merge join gather collect | collect gather assemble | survive preserve persist remain
persist remain last | last continue remain | continue proceed go | try attempt seek
attempt try | succeed work | fail unsuccessful | crash fail abort | abort cancel stop
cancel revoke annul withdraw | suspend pause interrupt | wait delay | delay postpone defer
spill leak | leak spill | steal theft | lose missing | throw discard dispose | waste rubbish
"""


def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    lines = [
        each for table in (_DERIVED, _SIMILAR) for each in table.replace("\n", " | ").split("|")
    ]
    for number, group in enumerate(lines):
        for word in group.split():
            found.setdefault(stem(IRREGULAR.get(word, word)), set()).add(number)
    return {word: frozenset(groups) for word, groups in found.items()}


_GROUPS = _groups()


@lru_cache(maxsize=20_000)
def groups_of(word: str) -> frozenset[int]:
    lower = word.lower()
    base = IRREGULAR.get(lower, lower)
    return frozenset().union(
        *(_GROUPS.get(stem(form), frozenset()) for form in (base, *forms(base)))
    )


def are_related(one: str, other: str) -> bool:
    return not groups_of(one).isdisjoint(groups_of(other))
