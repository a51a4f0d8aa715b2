package dev.weir.bench.live;

import dev.weir.bench.RunFailure;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.DoubleSupplier;
import java.util.function.ObjDoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes the commands to a run one after another: first planned commands that are due, then incoming commands.
 * Confined to the run's thread.
 */
public final class Orders {
    private @Nullable OrderDesk desk; // null once the folder for commands cannot be read
    private final Queue<TimelineEntry> planned;
    private final DoubleSupplier millis;
    private final ObjDoubleConsumer<String> note;
    private final List<TimelineEntry> timeline = new ArrayList<>();

    /** A run or a search that can be changed by commands. */
    public interface Target {

        /** Returns the reason why the command cannot be executed; null if it can. */
        @Nullable
        String objection(Order order);

        /** Executes the command and returns the changes by key. */
        Map<String, String> apply(Order order) throws InterruptedException;

        /** Returns the time after which commands are no longer executed, in elapsed milliseconds of the run. */
        default double endMillis() {
            return Double.POSITIVE_INFINITY;
        }
    }

    /**
     * Creates the object that executes the commands to a run. The caller closes the desk.
     *
     * @param desk null if there are only planned commands
     * @param millis returns the elapsed time of the run in milliseconds
     * @param note receives the executed commands with their times
     */
    public Orders(
            @Nullable OrderDesk desk,
            List<TimelineEntry> planned,
            DoubleSupplier millis,
            ObjDoubleConsumer<String> note) {
        this.desk = desk;
        this.planned = new ArrayDeque<>(planned);
        this.millis = millis;
        this.note = note;
    }

    /**
     * Executes the planned commands that have become due and the commands that have arrived since the last call.
     *
     * @throws RunFailure if a planned command cannot be executed
     */
    public void take(Target target) throws InterruptedException {
        for (TimelineEntry next = planned.peek();
                next != null && next.atMillis() <= Math.min(millis.getAsDouble(), target.endMillis());
                next = planned.peek()) {
            planned.remove();
            String objection = target.objection(next.order());
            if (objection != null) {
                throw new RunFailure(
                        "its timeline cannot be followed at " + next.fields().get("at") + ": " + objection);
            }
            apply(next.order(), target);
        }
        OrderDesk from = desk;
        while (from != null && millis.getAsDouble() < target.endMillis()) {
            OrderDesk.Waiting waiting = waiting(from);
            if (waiting == null) {
                return;
            }
            Answer answer = answered(waiting, target);
            try {
                from.answer(waiting.number(), answer);
            } catch (UncheckedIOException e) { // The answer is lost; the run continues.
                note.accept(String.valueOf(e.getMessage()), millis.getAsDouble());
            }
        }
    }

    private OrderDesk.@Nullable Waiting waiting(OrderDesk from) {
        try {
            return from.next();
        } catch (UncheckedIOException e) {
            desk = null;
            note.accept("takes no more orders: " + e.getMessage(), millis.getAsDouble());
            return null;
        }
    }

    /** Ends the execution of commands. Reports planned commands that the run ended too early to execute. */
    public void end() {
        planned.forEach(late -> note.accept(
                "ended before " + late.order().text() + " at " + late.fields().get("at"), millis.getAsDouble()));
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
        note.accept(order.text() + ": " + String.join(", ", did.values()), atMillis);
    }

    /** Returns the commands executed so far. */
    public List<TimelineEntry> timeline() {
        return List.copyOf(timeline);
    }
}
