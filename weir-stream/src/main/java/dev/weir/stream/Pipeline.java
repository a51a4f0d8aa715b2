package dev.weir.stream;

import dev.weir.stream.internal.run.PipelineRun;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.Objects;
import java.util.function.Consumer;

/** The blueprint of a complete pipeline, from its sources to its sink. Immutable; each {@link #run} is independent. */
public final class Pipeline {

    final Consumer<RunAssembly> builder;

    private final String name;
    private final Clock clock;

    private Pipeline(Consumer<RunAssembly> builder, String name, Clock clock) {
        this.builder = builder;
        this.name = name;
        this.clock = clock;
    }

    /**
     * Creates a pipeline.
     *
     * @param builder called for each run; adds all stages to the assembly of the run
     */
    static Pipeline of(Consumer<RunAssembly> builder) {
        return new Pipeline(builder, "pipeline", Clock.SYSTEM);
    }

    static <T> Pipeline of(Source<T> source, Sink.Loop<? super T> sink) {
        return of(assembly -> assemble(assembly, source, sink));
    }

    @SuppressWarnings("unchecked") // The cast is safe, because a loop for a supertype of T only reads the elements.
    private static <T> void assemble(RunAssembly assembly, Source<T> source, Sink.Loop<? super T> sink) {
        Stage<T> upstream = source.node().build(assembly);
        StageAttributes attributes = new StageAttributes(sink.attributes);
        StageEntry entry = assembly.fused(attributes);
        assembly.closeSegment(
                entry.stageName(),
                attributes.dispatcherOr(Dispatcher.virtual()),
                upstream,
                assembly.isProbe() ? from -> {} : ((Sink.Loop<T>) sink).factory.create(entry));
        attributes.refuseUnread();
    }

    /** Returns this pipeline with a name for thread names and messages. Default: {@code pipeline}. */
    public Pipeline named(String newName) {
        if (Objects.requireNonNull(newName, "name").isBlank()) {
            throw new IllegalArgumentException("a pipeline's name must not be blank");
        }
        return new Pipeline(builder, newName, clock);
    }

    /** Returns this pipeline with a different clock, for tests; see {@link dev.weir.stream.testing.VirtualClock}. */
    public Pipeline on(Clock newClock) {
        return new Pipeline(builder, name, Objects.requireNonNull(newClock, "clock"));
    }

    /**
     * Adds an action that is called with each run, before the run's first element. The action is called on the thread
     * that calls {@link #run}, after all stages have been created, so {@link RunningPipeline#handles} returns their
     * handles. For example, the action can pass the handles to code in the pipeline, which then controls its own run.
     *
     * {@snippet :
     * Pipeline pipeline = orders.to(Sink.forEach(desk::book)).onStart(running -> desk.steer(running));
     * }
     *
     * <p>Actions are called in the order in which they were added. If one throws, the run does not start and its
     * resources are released. An action must not wait for the end of the run; doing so throws an
     * {@link IllegalStateException}.
     */
    public Pipeline onStart(Action<? super RunningPipeline> action) {
        Objects.requireNonNull(action, "action");
        return new Pipeline(builder.andThen(assembly -> assembly.onStart(action)), name, clock);
    }

    /** Starts a run. The caller owns the run and must close it. */
    public RunningPipeline run() {
        return PipelineRun.start(name, clock, builder);
    }
}
