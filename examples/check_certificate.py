"""A second checker of certificates: python check_certificate.py CERTIFICATE…

Prints `verified: CLAIM`, `refused: DEFECT` or `not a certificate: ERROR` for each; the exit code is 0, 1 or 2, the
greatest of them. Written from the semantics and docs/notes/certificate-format.md, without code of asp-solve.

"Verified" proves, about the ground program in the file: each listed answer satisfies the rules, no proper subset of it
satisfies their reduct, it agrees with assumptions and external values, its edges form no cycle, and it costs what the
claim says; no two of them are the same (or show the same); and there is no other answer, or none within the bound.

You trust these lines, Python, and two theorems: answer sets satisfy Clark's completion (`Clauses`) and all loop
formulas (`unfounded_set`). What found the answers and the steps needs no trust. That the program is the one of your
files is not checked here; `asp-solve verify CERTIFICATE FILE…` compares them.
"""

import re
import sys
from contextlib import contextmanager
from math import gcd, inf
from types import SimpleNamespace

MAX_ATOM, MAX_SUM, MAX_SUMS, MAX_PLACES, MAX_BRANCHES = 2**24, 2**22, 2**24, 50_000_000, 100_000


class Unreadable(Exception):
    """The file is not a certificate."""


class Refused(Exception):
    """The certificate does not prove its claim."""


def require(condition, defect, error=Refused):
    if not condition:
        raise error(defect)


@contextmanager
def at(place):
    """Puts the place before an error."""
    try:
        yield
    except (Unreadable, Refused) as error:
        raise type(error)(f"{place}: {error}") from None


# ---- The text. A rule is (is a choice, head, body, bound, is a sum); a body is a list of literals with weights. A
# ---- conjunction is a sum that needs all its literals.

INT = lambda number: -2**31 <= number < 2**31
UNSIGNED = lambda number: 0 <= number < 2**32
COST = lambda number: -2**63 <= number < 2**63
ATOM = lambda number: 0 < number < 2**31
LITERAL = lambda number: 0 < abs(number) < 2**31


def number(words, is_allowed=INT):
    word = next(words, b"")
    is_number = re.fullmatch(rb"-?[0-9]{1,99}", word) and is_allowed(int(word))
    require(is_number, f"expected a number in range, found `{word.decode()[:20]}`", Unreadable)
    return int(word)


def counted(words, is_allowed):
    return [number(words, is_allowed) for _ in range(number(words, UNSIGNED))]


def weighted(words):
    return [(number(words, LITERAL), number(words)) for _ in range(number(words, UNSIGNED))]


def up_to_zero(words, is_allowed):
    return list(iter(lambda: number(words, is_allowed), 0))


def kind_from(words, last):
    return number(words, lambda number: 0 <= number <= last)


def split_term(line):
    """Splits `4 LENGTH TERM CONDITION` into the term, which has no blanks outside of strings, and the condition."""
    start = re.match(rb"4 ([0-9]{1,9}) ", line)
    end = start and start.end() + int(start[1])
    require(start and line[end:end + 1] == b" ", "expected `4 LENGTH TERM` and a blank", Unreadable)
    term = line[start.end():end].decode()
    without_strings = re.sub(r'"([^"\\]|\\.)*"', "", term, flags=re.DOTALL)
    is_term = term and not re.search(r'[\s"\x00-\x1f\x7f-\x9f]', without_strings)
    require(is_term, f"expected a term, found `{term}`", Unreadable)
    return term, iter(line[end:].split())


def read_statement(line, program):
    words = iter(line.split())
    kind = number(words)
    if kind == 1:
        is_choice, head, is_sum = kind_from(words, 1), sorted({*counted(words, ATOM)}), kind_from(words, 1)
        bound = number(words) if is_sum else None
        body = weighted(words) if is_sum else [(literal, 1) for literal in counted(words, LITERAL)]
        program.rules.append((is_choice, head, body, bound if is_sum else len(body), is_sum))
    elif kind == 2:
        program.costs.setdefault(number(words), []).extend(weighted(words))
    elif kind == 4:
        term, words = split_term(line)
        program.shown.setdefault(term, []).append(counted(words, LITERAL))
    elif kind == 5:
        atom = number(words, ATOM)
        require(atom not in program.externals, f"expected one external value of atom {atom}", Unreadable)
        program.externals[atom] = (None, True, False)[kind_from(words, 2)]
    elif kind == 6:
        program.assumed += counted(words, LITERAL)
    else:
        require(kind == 8, f"expected a statement of kind 1, 2, 4, 5, 6 or 8, found {kind}", Unreadable)
        program.edges.append((number(words), number(words), counted(words, LITERAL)))
    return words


def read_claim(line, program):
    words = iter(line.split())
    start, program.scope, program.bound = (next(words, b"").decode() for _ in range(3))
    is_claim = start == "claim" and program.scope in ("atoms", "shown") and program.bound in ("", "less", "most")
    require(is_claim, "expected `claim shown` or `claim atoms`, then perhaps `less` or `most` with costs", Unreadable)
    program.costs_claimed = [number(iter([word]), COST) for word in words]
    require(program.costs_claimed or not program.bound, "expected costs", Unreadable)
    return words


def new_section(cube):
    return SimpleNamespace(cube=cube, items=[], steps=0, next_clause=None)


def read_section(line, program):
    words = iter(line.split())
    kind = next(words, b"").decode()
    section = program.sections[-1]
    is_first = not (program.has_cubes or section.items)
    if kind == "within" and (program.has_cubes or is_first):
        program.sections[0 if is_first else len(program.sections):] = [new_section(up_to_zero(words, INT))]
        program.has_cubes = True
        return words
    if kind == "a" and (program.has_cubes or not section.steps):
        section.items.append((kind, None, up_to_zero(words, UNSIGNED), []))
        if section.next_clause is not None:
            section.next_clause += 1
        return words
    require(kind in ("l", "u", "e", "d"), f"expected a step l, u, e or d, found `{kind[:20]}`", Unreadable)
    added = None if kind == "d" else number(words, UNSIGNED)
    if added is not None:
        require(section.next_clause in (None, added), f"expected clause {section.next_clause}", Unreadable)
        section.next_clause = added + 1
    first = up_to_zero(words, INT if kind == "l" else UNSIGNED)
    second = up_to_zero(words, INT if kind == "u" else UNSIGNED) if kind in ("l", "u") else []
    section.items.append((kind, added, first, second))
    section.steps += 1
    return words


def read(data):
    data.decode()  # All of it must be UTF-8.
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    titles = [line.rstrip() for line in lines[:2]]
    require(titles == [b"certificate 1", b"asp 1 0 0"], "expected `certificate 1`, then `asp 1 0 0`", Unreadable)
    program = SimpleNamespace(rules=[], costs={}, externals={}, assumed=[], edges=[], shown={})
    program.sections, program.has_cubes = [new_section([])], False
    read_line = read_statement
    for place, line in enumerate(lines[2:], 3):
        if read_line is read_statement and line.rstrip() == b"0":
            read_line = read_claim
            continue
        with at(f"line {place}"):
            require(next(read_line(line, program), None) is None, "expected the end of the line", Unreadable)
        if read_line is read_claim:
            read_line = read_section
    require(read_line is read_section, "expected a claim, found the end of the file", Unreadable)
    return program


# ---- Listed answers, as sets of true atoms.


def holds(literal, answer):
    return (abs(literal) in answer) == (literal > 0)


def is_shown(conditions, answer):
    return any(all(holds(literal, answer) for literal in condition) for condition in conditions)


def weight(items, counts):
    return sum(weight for literal, weight in items if counts(literal))


def check_answer(program, answer):
    def is_true(literal):
        return holds(literal, answer)

    require(all(map(is_true, program.assumed)), "an assumption does not hold")
    for atom, value in program.externals.items():
        require(value in (None, atom in answer), f"atom {atom} does not have its external value")
    reduct = []  # Rules (head atoms, positive literals with weights, the weight that these need).
    for place, (is_choice, head, body, bound, _) in enumerate(program.rules, 1):
        if weight(body, is_true) >= bound:
            true_head = answer.intersection(head)
            require(is_choice or true_head, f"rule {place} is violated")
            rest = bound - weight(body, lambda literal: literal < 0 and is_true(literal))
            positive = [(literal, weight) for literal, weight in body if literal > 0]
            reduct += [({atom}, positive, rest) for atom in true_head] if is_choice else [(true_head, positive, rest)]
    smaller = smaller_model(reduct, answer & program.externals.keys(), answer)
    require(smaller is None, f"without the atoms {sorted(answer - (smaller or set()))} it satisfies the reduct, too")
    require(is_acyclic([edge[:2] for edge in program.edges if all(map(is_true, edge[2]))]), "its edges have a cycle")
    costs = [weight(program.costs[priority], is_true) for priority in sorted(program.costs, reverse=True)]
    require(not program.bound or program.costs_claimed == costs, f"it costs {costs}")


def smaller_model(reduct, given, answer):
    """Returns a model of the reduct that is a proper subset of the answer, or None. Grows models from the given atoms:
    only a disjunction leaves a choice of the atom to add. Gives up after `MAX_BRANCHES` of these."""
    branches = [(given, reduct)]
    for _ in range(MAX_BRANCHES):
        if not branches:
            return None
        model, rules = branches.pop()
        is_growing = True
        while is_growing:
            is_growing, waiting, disjunctions = False, [], []
            for rule in rules:
                head, body, needed = rule
                if head & model:
                    continue
                if weight(body, model.__contains__) < needed:
                    waiting.append(rule)
                elif len(head) > 1:
                    disjunctions.append(rule)
                else:
                    model |= head
                    is_growing = True
            rules = waiting + disjunctions
        if model != answer and not disjunctions:
            return model
        if model != answer:
            branches += [(model | {atom}, rules) for atom in disjunctions[0][0]]
    raise Refused("its minimality could not be decided")


def is_acyclic(edges):
    """Removes edges to nodes without an edge until nothing changes: only cycles, and ways to them, are left."""
    before = None
    while edges and len(edges) != before:
        before, sources = len(edges), {source for source, _ in edges}
        edges = [edge for edge in edges if edge[1] in sources]
    return not edges


# ---- Clauses, as sets of literals. Their order and the numbers of variables are those of the format.


class Clauses:
    """The completion of the program and the negation of the claim."""

    def __init__(self, program):
        conditions = [condition for conditions in program.shown.values() for condition in conditions]
        literals = [*program.assumed, *(literal for condition in conditions for literal in condition)]
        for *_, condition in program.edges:
            literals += condition
        for items in [*(rule[2] for rule in program.rules), *program.costs.values()]:
            literals += [literal for literal, _ in items]
        heads = [atom for rule in program.rules for atom in rule[1]]
        atoms = sorted({*map(abs, literals), *heads, *program.externals})
        self.true = self.last_variable = max(atoms, default=0) + 1
        require(self.true <= MAX_ATOM + 1, f"an atom is greater than {MAX_ATOM}")
        self.last, self.by_number, self.known, self.nodes = 0, {}, {}, 0
        self.supports = {atom: [] for atom in atoms}  # (rule or None, its body, its body and no other head atom)
        self.add([self.true])
        for rule in program.rules:
            self.add_rule(rule)
        for atom, value in sorted(program.externals.items()):
            if value is not None:
                self.add([atom if value else -atom])
            if value is not False:
                self.supports[atom].append((None, self.true, self.true))
        for literal in program.assumed:
            self.add([literal])
        for atom, supports in self.supports.items():
            self.add([-atom, *(support[2] for support in supports)])
        self.negate_scope(program)

    def add_rule(self, rule):
        is_choice, head, body, bound, is_sum = rule
        require(all(weight >= 0 for _, weight in body), "a rule body has a negative weight")
        if not (head or is_choice or is_sum):
            self.add(-literal for literal, _ in body)
            return
        body = self.at_least(body, bound) if is_sum else self.all_of(literal for literal, _ in body)
        if not is_choice:
            self.add([*head, -body])
        for atom in head:
            others = [] if is_choice else [-other for other in head if other != atom]
            self.supports[atom].append((rule, body, self.all_of([body, *others])))

    def negate_scope(self, program):
        """Adds the clauses of the claim that do not depend on the listed answers."""
        less, at_most = -self.true, self.true
        if program.bound:
            require(len(program.costs_claimed) == len(program.costs), "expected a cost for each priority")
            for (_, items), cost in zip(sorted(program.costs.items()), reversed(program.costs_claimed)):
                less_here, at_most_here = -self.at_least(items, cost), -self.at_least(items, cost + 1)
                less = self.any_of([less_here, self.all_of([at_most_here, less])])
                if program.bound == "most":
                    at_most = self.any_of([less_here, self.all_of([at_most_here, at_most])])
            self.add([less if program.bound == "less" else at_most])
        self.less, self.looks = less, [(atom, [[atom]]) for atom in self.supports]
        if program.bound != "less" and program.scope == "shown":
            self.looks = [(self.any_of([self.all_of(condition) for condition in conditions]), conditions)
                          for _, conditions in sorted(program.shown.items())]

    def exclude(self, program, answer):
        """Adds the clause that something differs from an answer, or the costs are less."""
        if program.bound != "less":
            looks = [-literal if is_shown(conditions, answer) else literal for literal, conditions in self.looks]
            self.add([self.less, *looks])

    def normal(self, literals):
        """Returns the clause without false literals; None if it is always true."""
        clause = set(literals) - {-self.true}
        is_always_true = self.true in clause and len(clause) > 1 or any(-literal in clause for literal in clause)
        return None if is_always_true else clause

    def add(self, literals):
        clause = self.normal(literals)
        if clause is not None:
            self.last += 1
            self.by_number[self.last] = clause

    def new_variable(self):
        self.last_variable += 1
        return self.last_variable

    def all_of(self, literals):
        """Returns a literal that is equivalent to the conjunction."""
        literals = frozenset(literals) - {self.true}
        if -self.true in literals or any(-literal in literals for literal in literals):
            return -self.true
        if len(literals) < 2:
            return next(iter(literals), self.true)
        if literals not in self.known:
            self.known[literals] = variable = self.new_variable()
            for literal in sorted(literals, key=abs):
                self.add([-variable, literal])
            self.add([variable, *(-literal for literal in literals)])
        return self.known[literals]

    def any_of(self, literals):
        return -self.all_of(-literal for literal in literals)

    def if_else(self, literal, then, otherwise):
        """Returns a literal that is equivalent to `then` or `otherwise`, by the literal; `otherwise` implies `then`."""
        if then == otherwise:
            return then
        if then == self.true:
            return self.any_of([literal, otherwise])
        if otherwise == -self.true:
            return self.all_of([literal, then])
        if (literal, then, otherwise) not in self.known:
            self.known[literal, then, otherwise] = node = self.new_variable()
            for clause in [-node, then], [-node, literal, otherwise], [node, -otherwise], [node, -literal, -then]:
                self.add(clause)
        return self.known[literal, then, otherwise]

    def at_least(self, items, bound):
        """Returns a literal that is equivalent to a sum: the weights of the true literals reach the bound."""
        weights = {}
        for literal, weight in items:
            sign = 1 if literal > 0 else -1
            weights[abs(literal)] = weights.get(abs(literal), 0) + sign * weight
            bound -= weight if literal < 0 else 0  # The weight of `not a` is that of true minus that of `a`.
        bound -= sum(weight for weight in weights.values() if weight < 0)
        items = [(atom if weight > 0 else -atom, abs(weight)) for atom, weight in weights.items() if weight]
        items.sort(key=lambda item: (-item[1], abs(item[0])))
        rest = [(0, 0)]  # From each item on, the sum of the weights and their greatest common divisor.
        for _, weight in reversed(items):
            rest.insert(0, (rest[0][0] + weight, gcd(rest[0][1], weight)))

        def need_from(place, need):
            total, divisor = rest[place]
            return 0 if need <= 0 else inf if need > total else -(-need // divisor) * divisor

        layers, count = [{need_from(0, bound)}], 1  # By item: what the items from it on may have to reach.
        for place, (_, weight) in enumerate(items, 1):
            open_needs = layers[-1] - {0, inf}
            layers.append({need_from(place, need - taken) for need in open_needs for taken in (weight, 0)})
            count += len(layers[-1])
            require(count <= MAX_SUM, f"a sum has more than {MAX_SUM} partial sums")
        self.nodes += count
        require(self.nodes <= MAX_SUMS, f"the sums have more than {MAX_SUMS} partial sums together")
        below = {}
        for place in reversed(range(len(layers))):
            nodes = {0: self.true, inf: -self.true}
            for need in sorted(layers[place] - {0, inf}):
                literal, weight = items[place]
                needs = need_from(place + 1, need - weight), need_from(place + 1, need)
                nodes[need] = self.if_else(literal, below[needs[0]], below[needs[1]])
            below = nodes
        return below[need_from(0, bound)]


# ---- Steps.


def check_literals(clauses, literals):
    variables = {abs(literal) for literal in literals}
    require(all(1 <= variable <= clauses.last_variable for variable in variables), "a literal has no variable")
    require(len(variables) == len(literals), "a variable occurs twice")


def check_rup(clauses, literals, hints):
    """Checks that, if the literals are false, the hinted clauses make others true until one of them is false."""
    check_literals(clauses, literals)
    true = {-literal for literal in literals}
    for hint in hints:
        require(hint in clauses.by_number, f"there is no clause {hint}")
        left = [literal for literal in clauses.by_number[hint] if -literal not in true]
        if not left:
            return
        require(len(left) == 1 and left[0] not in true, f"clause {hint} is not unit")
        true.add(left[0])
    raise Refused("the hinted clauses do not refute the negated clause")


def unfounded_set(clauses, atoms, reasons):
    """Returns the clause: not the first atom, or a literal of `reasons`, or a body that founds an atom from outside."""
    require(atoms and clauses.supports.keys() >= set(atoms), "the set is empty, or there is no such atom")
    check_literals(clauses, reasons)
    inside, false, clause = set(atoms), set(reasons), [-atoms[0], *reasons]
    excluded = inside | false
    for atom in atoms:
        for rule, body, body_alone in clauses.supports[atom]:
            is_choice, head, items, bound, _ = rule or (True, [], [], 0, False)
            others = set() if is_choice else set(head) - {atom}
            has_true_head = any(-other in false for other in others - inside)
            # Literals outside of both sets can hold: a reason is false here, and the set founds nothing by itself.
            if weight(items, lambda literal: literal not in excluded) >= bound and not has_true_head:
                clause.append(body if others & inside else body_alone)
    return clause


def cycle(program, numbers):
    """Returns the clause: not all conditions of these edges."""
    require(numbers and max(numbers) <= len(program.edges), "there are no edges, or no such edge")
    edges = [program.edges[number - 1] for number in numbers]
    is_cycle = all(edge[1] == after[0] for edge, after in zip(edges, edges[1:] + edges[:1]))
    require(is_cycle, "the edges do not form a cycle")
    return [-literal for *_, condition in edges for literal in condition]


def check_step(program, clauses, step):
    """Adds the clause of the step, if it is not always true. Returns true if it is the empty clause."""
    kind, added, first, second = step
    if kind == "d":
        for deleted in first:
            is_added = deleted >= program.first_clause and clauses.by_number.pop(deleted, None) is not None
            require(is_added, f"there is no added clause {deleted}")
        return False
    clauses.last += 1
    require(added == clauses.last, f"it adds clause {added}, but the next one is {clauses.last}")
    if kind == "l":
        check_rup(clauses, first, second)
        clause = set(first)
    elif kind == "u":
        clause = clauses.normal(unfounded_set(clauses, first, second))
    else:
        clause = clauses.normal(cycle(program, first))
    if clause is not None:
        clauses.by_number[added] = clause
    return clause == set()


def check_section(program, clauses, section, is_refuted):
    """Checks that a cube has no answers but those that it or a section before it lists. Returns true if the clauses are
    refuted, and the looks of its answers."""
    require(not (program.bound and section.cube), "a claim about costs has no cubes")
    require(clauses.supports.keys() >= set(map(abs, section.cube)), "the cube has a literal of no atom")
    places = (len(section.items) - section.steps) * len(clauses.looks)
    require(places <= MAX_PLACES or program.bound == "less", "there are too many answers")
    looks, step = [], 0
    for item in section.items:
        if item[0] == "a":
            with at(f"answer {len(looks) + 1}"):
                looks.append(check_listed(program, section.cube, item[2]))
            clauses.exclude(program, set(item[2]))
            is_refuted = is_refuted or clauses.by_number.get(clauses.last) == set()
            continue
        step += 1
        with at(f"step {step}"):
            require(not is_refuted, "it comes after the empty clause")
            is_refuted = check_step(program, clauses, item)
    require(len(set(looks)) == len(looks), "two answers are the same, or show the same")
    require(looks or not program.bound, "no listed answer has the costs of the bound")
    last = clauses.by_number.get(clauses.last)
    is_excluded = last is not None and all(-literal in section.cube for literal in last)
    require(is_refuted or is_excluded, "the steps do not lead to a clause that the cube contradicts")
    return is_refuted, looks


def check_listed(program, cube, answer):
    """Checks a listed answer, and returns by what it is told apart from others."""
    require(answer == sorted(set(answer)), "its atoms are not in ascending order")
    check_answer(program, set(answer))
    require(all(holds(literal, set(answer)) for literal in cube), "it is not in the cube")
    if program.scope == "shown":
        return tuple(term for term, any_ in program.shown.items() if is_shown(any_, set(answer)))
    return tuple(answer)


def check_cover(cubes):
    """Checks that the cubes are all cases: two that differ in the sign of their last literal are one without it."""
    cubes = {tuple(cube) for cube in cubes}
    for length in range(max(map(len, cubes)), 0, -1):
        for cube in [cube for cube in cubes if len(cube) == length]:
            if (*cube[:-1], -cube[-1]) in cubes or any(cube[:end] in cubes for end in range(length)):
                cubes.add(cube[:-1])
    require(() in cubes, "the cubes are not all cases")


def check(data):
    """Returns the claim of a certificate in words."""
    program = read(data)
    clauses = Clauses(program)
    program.first_clause = clauses.last + 1
    is_refuted = set() in clauses.by_number.values()
    looks = set()
    for section in program.sections:
        is_refuted, of_section = check_section(program, clauses, section, is_refuted)
        looks.update(of_section)
    check_cover(section.cube for section in program.sections)

    costs = ", ".join(map(str, program.costs_claimed))
    if program.bound == "less":
        return f"No answer costs less than {costs}"
    if not looks:
        return "There is no answer"
    of_costs, within = (f" of cost {costs}", " of this cost or less") if program.bound else ("", "")
    terms = f" by the {count(program.shown, 'term')} that can be shown" if program.scope == "shown" else ""
    return f"{count(looks, 'answer')}{of_costs}{terms}, and no other{'' if len(looks) == 1 else 's'}{within}"


def count(items, name):
    return f"{len(items):,} {name}{'' if len(items) == 1 else 's'}"


def main(paths):
    worst = 0 if paths else 2
    for path in paths:
        name = f"{path}: " if len(paths) > 1 else ""
        try:
            with open(path, "rb") as file:
                print(f"{name}verified: {check(file.read())}")
        except Refused as defect:
            print(f"{name}refused: {defect}")
            worst = max(worst, 1)
        except (Unreadable, UnicodeDecodeError, OSError) as error:
            print(f"{name}not a certificate: {error}")
            worst = 2
    return worst


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(__doc__, file=sys.stderr)
    sys.exit(main(sys.argv[1:]))
