package dev.weir.checks.integration.plants;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The right answers for a plant, known from its construction. Immutable. */
final class Truth {

    private final Map<Kind, Set<String>> right = new EnumMap<>(Kind.class);
    private final Set<Kind> near = EnumSet.noneOf(Kind.class);

    private boolean several;
    private final Set<String> named = new HashSet<>();
    private final Set<String> around = new HashSet<>();

    private Truth() {}

    /** Creates the truth for a limiter of this kind, with one of these names or, without names, with any name. */
    static Truth of(Kind kind, String... names) {
        Truth truth = new Truth();
        truth.right.put(kind, Set.of(names));
        return truth;
    }

    Truth or(Kind kind, String... names) {
        Truth truth = copy();
        truth.right.put(kind, Set.of(names));
        return truth;
    }

    /** Creates the truth for two equal limiters. An answer that is undecided between them is right. */
    static Truth ofTwo(Kind kind, String one, String other) {
        Truth truth = of(kind, one, other);
        truth.several = true;
        return truth;
    }

    /** Also accepts the kind with this id, which some versions lack. */
    Truth orNamed(String id) {
        Truth truth = copy();
        truth.named.add(id);
        return truth;
    }

    /** Adds kinds that count as vague rather than wrong. */
    Truth near(Kind... kinds) {
        Truth truth = copy();
        truth.near.addAll(Set.of(kinds));
        return truth;
    }

    /** Adds operators that contain the limiter. An answer that names one of them is vague, not wrong. */
    Truth around(String... names) {
        Truth truth = copy();
        truth.around.addAll(Set.of(names));
        return truth;
    }

    private Truth copy() {
        Truth truth = new Truth();
        truth.right.putAll(right);
        truth.near.addAll(near);
        truth.around.addAll(around);
        truth.named.addAll(named);
        truth.several = several;
        return truth;
    }

    boolean isRight(Limiter answer) {
        Set<String> names = right.get(answer.kind());
        return named.contains(answer.kind().id())
                || (names != null && (names.isEmpty() || names.contains(answer.name())));
    }

    /** Returns whether the answer is true, but does not lead to the limiter. */
    boolean isNear(Limiter answer) {
        return near.contains(answer.kind()) || (right.containsKey(answer.kind()) && around.contains(answer.name()));
    }

    /** Returns whether several answers are right. An undecided answer is then right as well. */
    boolean isSeveral() {
        return several || right.size() > 1;
    }

    /** Returns whether the text names the limiter, even as one of two candidates. */
    boolean isNamedIn(String text) {
        return right.values().stream().flatMap(Set::stream).anyMatch(text::contains);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        right.forEach((kind, names) -> text.append(text.isEmpty() ? "" : " or ")
                .append(kind.id())
                .append(names.isEmpty() ? "" : " " + String.join("|", names)));
        return text.toString();
    }
}
