package dev.weir.console.internal.state;

import dev.weir.console.ControlReport;
import dev.weir.console.TimelineEntry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Stores the fleet views passed to {@link #show}. Thread-safe. */
public final class FleetLooker implements ConsoleSubject, AutoCloseable {

    private final History history = new History();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private long number;
    private byte[] view = {};

    /** Creates an instance that has not received a view yet. */
    public FleetLooker() {
        show("{\"starting\":true}");
    }

    /** Sets the newest view, which must be one JSON object on one line. */
    public void show(String newView) {
        if (!newView.startsWith("{\"") || !newView.endsWith("}") || newView.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("view must be one JSON object with fields, on one line");
        }
        lock.lock();
        try {
            number++;
            String count = "{\"look\":" + number;
            String numbered = count + "," + newView.substring(1);
            view = Json.line(numbered);
            // The page draws only the newest view, so the history keeps only the numbers of earlier views.
            history.add(new History.Entry(number, count + "}"), numbered);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public History history() {
        return history;
    }

    @Override
    public byte[] now() {
        lock.lock();
        try {
            return view;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<TimelineEntry> timeline() {
        return List.of();
    }

    @Override
    public ControlReport set(Map<String, String> wanted, String by) {
        return ControlReport.of(
                Map.of(),
                wanted.entrySet().stream()
                        .map(each -> new ControlReport.Refusal(
                                each.getKey(), each.getValue(), "this page only shows; use the console of a member"))
                        .toList());
    }

    /** Ends all waits for views. */
    @Override
    public void close() {
        history.close();
    }
}
