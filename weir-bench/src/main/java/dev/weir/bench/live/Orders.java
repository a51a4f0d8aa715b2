package dev.weir.bench.live;

import dev.weir.bench.RunFailure;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The orders to something that goes on, one after the other: those that were planned, when their time has come, then those
 * that came in. Confined to its thread.
 */
public final class Orders {
    private final OrderDesk desk;
    private final Queue<TimelineEntry> planned;
    private final DoubleSupplier millis;
    private final Consumer<String> note;
    private final List<TimelineEntry> timeline = new ArrayList<>();

    /** What is to be changed. */
    public interface Target {

        /** Why it cannot be done; null if it can. */
        @Nullable
        String objection(Order order);

        /** Does it; returns what was done, by key. */
        Map<String, String> apply(Order order) throws InterruptedException;
    }

    /**
     * Those of a desk, which stays the caller's to close.
     *
     * @param millis how long it has gone on
     * @param note hears what was done
     */
    public Orders(OrderDesk desk, List<TimelineEntry> planned, DoubleSupplier millis, Consumer<String> note) {
        this.desk = desk;
        this.planned = new ArrayDeque<>(planned);
        this.millis = millis;
        this.note = note;
    }

    /**
     * Does what was ordered since the last call.
     *
     * @throws RunFailure if a planned order cannot be done
     */
    public void take(Target target) throws InterruptedException {
        for (TimelineEntry next = planned.peek();
                next != null && next.atMillis() <= millis.getAsDouble();
                next = planned.peek()) {
            planned.remove();
            String objection = target.objection(next.order());
            if (objection != null) {
                throw new RunFailure(
                        "its timeline cannot be followed at " + next.fields().get("at") + ": " + objection);
            }
            apply(next.order(), target);
        }
        try {
            for (OrderDesk.Waiting waiting = desk.next(); waiting != null; waiting = desk.next()) {
                desk.answer(waiting.number(), answered(waiting, target));
            }
        } catch (UncheckedIOException e) { // No reason to lose what goes on.
            note.accept(String.valueOf(e.getMessage()));
        }
    }

    private Answer answered(OrderDesk.Waiting waiting, Target target) throws InterruptedException {
        Order order = waiting.order();
        String objection = order == null ? waiting.fault() : target.objection(order);
        if (order == null || objection != null) {
            return Answer.refused(String.valueOf(objection), (long) millis.getAsDouble(), timeline);
        }
        apply(order, target);
        return Answer.accepted(timeline);
    }

    private void apply(Order order, Target target) throws InterruptedException {
        double atMillis = millis.getAsDouble();
        Map<String, String> did = target.apply(order);
        timeline.add(new TimelineEntry(atMillis, order, millis.getAsDouble() - atMillis, did));
        note.accept(order.text() + ": " + String.join(", ", did.values()));
    }

    /** What was done so far. */
    public List<TimelineEntry> timeline() {
        return List.copyOf(timeline);
    }
}
