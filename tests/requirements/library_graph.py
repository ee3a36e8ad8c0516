"""The library's graph, context and answerability. The specification gives no ids: ours."""

REQUIREMENTS = {
    # Graph
    "LB-401": "A citation becomes one edge, weaker if only what contains the cited is there.",
    "LB-402": "What a guide cites outside itself is what it maps to.",
    "LB-403": "A walk finds the best path to each paragraph and returns the best scored first.",
    "LB-404": "Citations in a circle do a walk no harm.",
    "LB-405": "Hops, least score, results and work are bounded, and a walk that was cut says so.",
    "LB-406": "The same walk gives the same list, in any library of the same documents.",
    "LB-407": "A numbered part and what contains it lead to each other.",
    "LB-408": "What cites a paragraph is reached from it, by a weaker way.",
    "LB-409": "From a section of a guide a walk leads to paragraphs of standards only.",
    "LB-410": "The trace shows every step that was considered and what became of it.",
    "LB-411": "Edges by meaning are computed when first needed and again when the library changed.",
    "LB-412": "Only the nearest few, unusually near for their library, are linked by meaning.",
    "LB-413": "Large libraries are linked without comparing all pairs, and lose few for it.",
    "LB-414": "While the embedder is away walks follow citations and numbering, and say so.",
    "LB-415": "A walk starts from an id or from any spelling of a reference.",
    "LB-416": "A paragraph that everything cites cannot flood a walk.",
    # Context
    "LB-421": "Context is XML in groups: primary, supporting, context.",
    "LB-422": "Ungrouped context keeps the given order and names each role.",
    "LB-423": "Context keeps to its tokens with whole paragraphs, and names what stayed out.",
    "LB-424": "A budget or a role for a context that cannot be used is refused with what would do.",
    "LB-425": "A paragraph stands in a context once.",
    "LB-426": "Tokens of a context are estimated as memory estimates them.",
    "LB-427": "Any text makes a well-formed context, and always the same one.",
    # Answerability
    "LB-431": "Questions with and without an answer, at least 80 each, are shipped and split.",
    "LB-432": "What answers a question is told from what only has its words.",
    "LB-433": "Questions with an answer are held likelier than those without, also in other words.",
    "LB-434": "The confidence of a judgement fits how often it is right.",
    "LB-435": "No evidence for an answer lowers the confidence in it.",
    "LB-436": "A judgement gives its reasons: what fits best, and what is missing.",
    "LB-437": "Questions about nothing, and questions to an empty library, have no answer.",
    "LB-438": "While the embedder is away what words find is read with the question.",
    "LB-439": "The best five passages are shown, each with the sentence that may answer.",
}
