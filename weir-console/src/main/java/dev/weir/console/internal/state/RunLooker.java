package dev.weir.console.internal.state;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.console.ControlReport;
import dev.weir.console.RunConsole;
import dev.weir.console.TimelineEntry;
import dev.weir.console.internal.control.Timeline;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Receives metrics and notes of benchmark runs, and stores a reading after each. Thread-safe. */
public final class RunLooker implements ConsoleSubject, AutoCloseable {

    static final int MOST_NOTES = 100;

    private static final int MOST_NOTE = 2_000;

    private final String name;
    private final RunConsole.Orders orders;
    private final History history = new History();
    private final Timeline timeline = new Timeline();
    private final long startNanos = System.nanoTime();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private final Deque<String> notes = new ArrayDeque<>();
    private String doing = "";
    private Map<String, Double> figures = Map.of(); // metrics of the current run's last second, if any
    private boolean running = true;
    private byte[] shown = {}; // what requests share until the next notification
    private long number;
    private long seconds; // total reported by all runs

    /**
     * Creates a receiver.
     *
     * @param name the name of the benchmark
     */
    public RunLooker(String name, RunConsole.Orders orders) {
        this.name = name;
        this.orders = orders;
        tell(() -> {});
    }

    /** Starts another run, which has no metrics yet. */
    public void doing(String what) {
        tell(() -> {
            doing = what;
            figures = Map.of();
        });
    }

    public void second(Map<String, Double> ofSecond) {
        tell(() -> {
            figures = new TreeMap<>(ofSecond);
            seconds++;
        });
    }

    public void note(String line) {
        tell(() -> {
            if (notes.size() == MOST_NOTES) {
                notes.removeFirst();
            }
            notes.add(line.length() <= MOST_NOTE ? line : line.substring(0, MOST_NOTE));
        });
    }

    /** Reports that there will be no further run. */
    public void end() {
        tell(() -> running = false);
    }

    private void tell(Runnable change) {
        lock.lock();
        try {
            change.run();
            number++;
            String full = full();
            shown = Json.line(full);
            history.add(new History.Entry(number, Json.object(this::writeBrief)), full);
        } finally {
            lock.unlock();
        }
    }

    private void writeBrief(JsonGenerator json) throws IOException {
        json.writeStringField("at", Instant.now().toString());
        json.writeStringField("state", running ? "running" : "ended");
        json.writeNumberField("look", number);
        json.writeStringField("pipeline", name);
        json.writeBooleanField("running", running);
        json.writeStringField("doing", doing);
        json.writeNumberField("second", seconds);
        json.writeObjectFieldStart("figures");
        for (Map.Entry<String, Double> each : figures.entrySet()) {
            json.writeFieldName(each.getKey());
            writeNumber(json, each.getValue());
        }
        json.writeEndObject();
    }

    private static void writeNumber(JsonGenerator json, double value) throws IOException {
        if (!Double.isFinite(value)) {
            json.writeNull();
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            json.writeNumber((long) value);
        } else {
            json.writeNumber(value);
        }
    }

    private String full() {
        return Json.object(json -> {
            writeBrief(json);
            json.writeArrayFieldStart("controls");
            writeControl(json, "producerRate", RunConsole.PLANNED, "");
            writeControl(json, "work", RunConsole.WORK_MILLIS, "ms");
            writeControl(json, "consumers", RunConsole.CONSUMERS, "");
            json.writeEndArray();
            json.writeArrayFieldStart("notes");
            for (String note : notes) {
                json.writeString(note);
            }
            json.writeEndArray();
        });
    }

    private void writeControl(JsonGenerator json, String key, String figure, String unit) throws IOException {
        Double value = figures.get(figure);
        if (value == null || !Double.isFinite(value)) {
            return;
        }
        json.writeStartObject();
        json.writeStringField("key", key);
        json.writeFieldName("value");
        if (unit.isEmpty()) {
            writeNumber(json, value);
        } else {
            json.writeString((value == Math.rint(value) ? Long.toString(value.longValue()) : value.toString()) + unit);
        }
        json.writeEndObject();
    }

    @Override
    public History history() {
        return history;
    }

    @Override
    public byte[] now() {
        lock.lock();
        try {
            return shown;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<TimelineEntry> timeline() {
        return timeline.entries();
    }

    @Override
    public ControlReport set(Map<String, String> wanted, String by) throws InterruptedException {
        ControlReport report = orders.order(wanted);
        Instant at = Instant.now();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        wanted.forEach((key, value) -> {
            if (report.applied().containsKey(key)) {
                timeline.add(TimelineEntry.of(at, millis, key, value, by, ""));
            }
        });
        report.refused()
                .forEach(each ->
                        timeline.add(TimelineEntry.of(at, millis, each.key(), each.value(), by, each.reason())));
        return report;
    }

    /** Ends all waits for readings. */
    @Override
    public void close() {
        history.close();
    }
}
