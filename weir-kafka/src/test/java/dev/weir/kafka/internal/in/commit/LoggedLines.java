package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;

/** Collects log lines instead of writing them. */
public final class LoggedLines implements Surroundings {

    private final List<String> lines = new ArrayList<>();

    private LoggedLines() {}

    /** Returns the lines that the calling thread logs while it runs {@code body}, each with its level. */
    public static List<String> of(Runnable body) {
        LoggedLines log = new LoggedLines();
        SurroundingsRegistry.within(log, body);
        return log.lines;
    }

    @Override
    public void logged(String line) {
        lines.add(line);
    }

    @Override
    public Consumer<byte[], byte[]> client(Map<String, Object> config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Lookup lookup(Map<String, Object> config) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void park(long nanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> Stage<T> pulled(Stage<T> stage, Clock clock) {
        throw new UnsupportedOperationException();
    }
}
