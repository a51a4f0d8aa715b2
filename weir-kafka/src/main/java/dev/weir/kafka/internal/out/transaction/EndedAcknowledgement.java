package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;

/**
 * The inputs of an element, remembered after its acknowledgement. Immutable. Acknowledging the element again has no
 * effect.
 */
final class EndedAcknowledgement implements AckTarget {

    private final List<Root> roots = new ArrayList<>(1);
    private final List<String> places;

    /**
     * Captures the inputs of an element. Must be called before the element is acknowledged, unless the target is a
     * source.
     *
     * @param places the origins of the inputs, as returned by {@link AckTarget#placeOf}; empty if they are not needed
     */
    EndedAcknowledgement(AckTarget target, long token, List<String> places) {
        this.places = places;
        target.roots(token, (source, rootToken) -> roots.add(new Root(source, rootToken)));
    }

    List<String> places() {
        return places;
    }

    @Override
    public void ack(long ignored) {}

    @Override
    public void retain(long ignored, int count) {}

    @Override
    public void roots(long ignored, RootVisitor visitor) {
        roots.forEach(root -> visitor.root(root.source(), root.token()));
    }

    @Override
    public String placeOf(long ignored) {
        return text(places);
    }

    /** Returns the first origin and the number of further ones, such as {@code orders-3@17 and 2 more}. */
    static String text(List<String> places) {
        int more = places.size() - 1;
        return more < 0 ? "" : places.getFirst() + (more == 0 ? "" : " and " + more + " more");
    }
}
