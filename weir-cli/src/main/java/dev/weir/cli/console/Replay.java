package dev.weir.cli.console;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The changes of a recorded timeline, for replaying them at their original intervals. Immutable. */
record Replay(List<Change> changes) {

    private static final long MAX_BYTES = 16 * 1024 * 1024;
    private static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(365);

    /**
     * One change.
     *
     * @param afterMillis time since the first change of the timeline
     */
    record Change(long afterMillis, String key, String value) {}

    /** Applies a change. {@link #play} calls it when the time for the change has come. */
    @FunctionalInterface
    interface Maker {
        void make(Change change) throws InterruptedException;
    }

    /** Reads the output of {@code --timeline}. Skips changes that were refused. */
    static Replay read(Path file) {
        JsonNode entries = entries(file);
        List<Change> changes = new ArrayList<>();
        long firstMillis = 0;
        long lastMillis = 0;
        for (int i = 0; i < entries.size(); i++) {
            JsonNode entry = entries.get(i);
            if (!entry.path("applied").asBoolean(true)) {
                continue;
            }
            JsonNode at = entry.path("at_ms");
            String key = entry.path("key").asText("");
            if (!at.isIntegralNumber()
                    || !at.canConvertToLong()
                    || key.isEmpty()
                    || !entry.path("value").isValueNode()) {
                throw refused(file, "entry " + (i + 1) + " needs \"at_ms\", \"key\" and \"value\"");
            }
            firstMillis = changes.isEmpty() ? at.asLong() : firstMillis;
            if (firstMillis < 0
                    || (!changes.isEmpty() && at.asLong() < lastMillis)
                    || at.asLong() - firstMillis > MAX_MILLIS) {
                throw refused(file, "entry " + (i + 1) + " has an at_ms before that of the one above, or a year later");
            }
            lastMillis = at.asLong();
            changes.add(new Change(
                    lastMillis - firstMillis, key, entry.path("value").asText()));
        }
        return new Replay(List.copyOf(changes));
    }

    private static JsonNode entries(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw CliFailure.badValue("--replay", file, "a file of at most 16 MB");
            }
            // Jackson recognizes the encoding: editors and shells of Windows write UTF-16 or a byte order mark.
            JsonNode entries =
                    new ObjectMapper().readTree(Files.readAllBytes(file)).path("entries");
            if (entries.isArray()) {
                return entries;
            }
        } catch (JacksonException e) {
            throw refused(file, "it is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw CliFailure.badValue("--replay", file, "a file that can be read (" + CliFailure.reason(e) + ")");
        }
        throw refused(file, "it has no \"entries\"");
    }

    private static CliFailure refused(Path file, String reason) {
        return CliFailure.work(
                "cannot replay " + file + ": " + reason, "Give a file that weir console --timeline FILE has written.");
    }

    /** Makes the first change now. Makes each further change at its recorded time or as soon as possible. */
    void play(Maker maker) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        long startNanos = System.nanoTime();
        for (Change change : changes) {
            long dueNanos = TimeUnit.MILLISECONDS.toNanos(change.afterMillis()) - (System.nanoTime() - startNanos);
            boolean ignored = never.await(dueNanos, TimeUnit.NANOSECONDS);
            maker.make(change);
        }
    }
}
