package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;

/** A copy of the inputs of an acknowledgement that has ended. Immutable; acknowledging it again has no effect. */
final class EndedAcknowledgement implements AckTarget {

    private final List<Root> roots = new ArrayList<>(1);
    private final List<String> places;

    /**
     * Captures the inputs of an acknowledgement that is about to end. If the target belongs to a source, its inputs can
     * also be captured after the acknowledgement has ended.
     *
     * @param places the places of the target's inputs; empty if they are not needed
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
        int more = places.size() - 1;
        return more < 0 ? "" : places.getFirst() + (more == 0 ? "" : " and " + more + " more");
    }
}
