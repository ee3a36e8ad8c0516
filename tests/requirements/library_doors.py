"""What verification and the library's doors have to do, in our own words."""

REQUIREMENTS = {
    "LB-501": "A citation that holds comes back with its source's text, how closely it matches and "
    "no error.",
    "LB-502": "A cited paragraph that says something else is a CONTENT_MISMATCH with its reasons.",
    "LB-503": "A paragraph that is not there is NOT_FOUND; a missing part of one that is there is "
    "SUB_PARA_NOT_FOUND and names it.",
    "LB-504": "A reference is read with its sub-paragraphs and with the words that lead to it.",
    "LB-505": "A citation names its paragraph by id or by reference.",
    "LB-506": "Citation accuracy is the share of supported claims, and passes from three quarters "
    "on.",
    "LB-507": "Entities are looked for in their sources' texts; a source that is not there is an "
    "error that names it.",
    "LB-508": "A relation holds if texts, numbering or graph have it, in its direction.",
    "LB-509": "Claims and paragraphs that contradict each other are found, and none may be.",
    "LB-510": "A configured model judges the claims that the rules leave open, and no others.",
    "LB-511": "A library has sixteen tools named after it, with the inputs and defaults of the "
    "design.",
    "LB-512": "One generic set of the sixteen tools takes the library as an argument, within 2,000 "
    "tokens.",
    "LB-513": "The search tools return hits with both scores and the paths that found them, in the "
    "documents that were asked for.",
    "LB-514": "Paragraphs are looked up, and walked from, by id or by reference in any form.",
    "LB-515": "The tools list standards and guides, and say what a library holds.",
    "LB-516": "The context tool takes paragraphs and their roles by id or reference.",
    "LB-517": "A library's own tool and the generic one give the same answer.",
    "LB-518": "Whatever is wrong with a call to a library's tool comes back as a typed error that "
    "says what there is.",
    "LB-519": "Nobody learns of another user's library through a tool or an endpoint.",
    "LB-520": "Searching the web without a provider for it is a typed skip with its reason.",
    "LB-521": "A library's own endpoint is at /mcp/library/{name} from its making to its removal.",
    "LB-522": "The four verifiers are tools that answer with score, passed and details.",
    "LB-525": "Libraries are made, listed, shown and removed over HTTP.",
    "LB-526": "Uploaded documents go into a library, and one that cannot be read is named with the "
    "rest.",
    "LB-527": "An upload may be larger than other bodies, within a bound, and leads nowhere else.",
    "LB-528": "How far an ingest is can be followed as server-sent events to its end.",
    "LB-529": "A folder of the server's machine is read only for its owner and from that machine.",
    "LB-530": "A library is searched, asked whether it holds an answer, and walked over HTTP.",
    "LB-531": "The axes of verification are checked over HTTP, one or several at once.",
    "LB-535": "The command line makes a library of a folder, brings it up to date, and reports "
    "what happened.",
    "LB-536": "The library commands say what to do when there is nothing to show.",
    "LB-537": "The search command shows reference, score, paths and an excerpt, or JSON.",
    "LB-538": "The show command shows a paragraph with its place and what it leads to.",
    "LB-539": "The verify command's exit code says whether the paragraph bears the claim out.",
    "LB-540": "The library commands list, count and, after asking, remove libraries but not files.",
    "LB-608": "The example library is made in one request, and the list says how much is in it.",
    "LB-609": "A paragraph is shown with its file, what stands around it and its terms.",
    "LB-610": "A text is checked sentence by sentence against what it cites or what is nearest.",
}
