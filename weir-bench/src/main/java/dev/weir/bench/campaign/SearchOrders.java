package dev.weir.bench.campaign;

import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.TimelineEntry;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the orders that come to a search: between two trials, since what changes amid one makes its outcome nobody's. Confined
 * to the thread of the search.
 */
final class SearchOrders implements AutoCloseable {
    private final OrderDesk desk;
    private final Consumer<String> note;
    private final long begunNanos = System.nanoTime();
    private final List<TimelineEntry> timeline = new ArrayList<>();

    /** What is to be changed. */
    interface Search {

        /** Why it cannot be done; null if it can. */
        @Nullable
        String objection(Order order);

        /** Does it; returns what was done, by key. */
        Map<String, String> apply(Order order);
    }

    /** Orders are left in the folder of the results. */
    SearchOrders(Path results, String name, Consumer<String> note) {
        this.desk = OrderDesk.open(results, name);
        this.note = note;
    }

    /** Does what was ordered since the last call, one after the other. */
    void take(Search search) {
        try {
            for (OrderDesk.Waiting waiting = desk.next(); waiting != null; waiting = desk.next()) {
                desk.answer(waiting.number(), answered(waiting, search));
            }
        } catch (UncheckedIOException e) { // No reason to lose the search.
            note.accept(String.valueOf(e.getMessage()));
        }
    }

    private Answer answered(OrderDesk.Waiting waiting, Search search) {
        long atMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
        Order order = waiting.order();
        String objection = order == null ? waiting.fault() : search.objection(order);
        if (order == null || objection != null) {
            return Answer.refused(String.valueOf(objection), atMillis, timeline);
        }
        timeline.add(new TimelineEntry(atMillis, order, 0, search.apply(order)));
        note.accept(order.text() + ": " + String.join(", ", timeline.getLast().did().values()));
        return Answer.accepted(timeline);
    }

    /** What was done so far. */
    List<TimelineEntry> timeline() {
        return List.copyOf(timeline);
    }

    @Override
    public void close() {
        desk.close();
    }
}
