package dev.weir.kafka.internal;

import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;

/** A stage context without a pipeline. It only records failures. Thread-safe. */
public class BareContext implements StageContext {

    private final StageMeter meter = new StageMeter();

    public final List<Throwable> failures = new CopyOnWriteArrayList<>();

    @Override
    public String pipelineName() {
        return "bare";
    }

    @Override
    public String stageName() {
        return "stage";
    }

    @Override
    public StageMeter meter() {
        return meter;
    }

    @Override
    public void depth(IntSupplier elements) {}

    @Override
    public void onStop(Runnable stop) {}

    @Override
    public void onTermination(Termination termination) {}

    @Override
    public void expose(Object handle) {}

    @Override
    public void fail(Throwable cause) {
        failures.add(cause);
    }
}
