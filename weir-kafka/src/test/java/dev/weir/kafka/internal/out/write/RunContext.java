package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stage context whose run ends when a test says so. Confined to the test's thread, except for failures. */
final class RunContext extends BareContext {

    final List<Object> exposed = new ArrayList<>();
    final List<Object> upstream = new ArrayList<>();
    IntSupplier depth = () -> -1;

    /** Sources of reasons why the stage makes no progress. */
    final List<Supplier<String>> troubles = new ArrayList<>();

    Clock clock = Clock.SYSTEM;

    @Nullable
    Throwable failure;

    private final Deque<Termination> terminations = new ArrayDeque<>();

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void depth(IntSupplier elements) {
        depth = elements;
    }

    @Override
    public void onTermination(Termination termination) {
        terminations.push(termination);
    }

    @Override
    public void trouble(Supplier<String> sentence) {
        troubles.add(sentence);
    }

    @Override
    public void expose(Object handle) {
        exposed.add(handle);
    }

    @Override
    public <H> List<H> upstreamHandles(Class<H> type) {
        return upstream.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    /** Returns the only exposed object of a type. */
    <H> H handle(Class<H> type) {
        List<H> all = exposed.stream().filter(type::isInstance).map(type::cast).toList();
        if (all.size() != 1) {
            throw new AssertionError(type + ": " + exposed);
        }
        return all.getFirst();
    }

    /** Ends the run. Returns what the resources left unfinished. */
    String end(Duration patience) {
        StringBuilder left = new StringBuilder();
        while (!terminations.isEmpty()) {
            left.append(terminations.pop().close(patience));
        }
        return left.toString();
    }
}
