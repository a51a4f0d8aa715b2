package dev.weir.stream;

import dev.weir.stream.internal.run.PipelineRun;
import dev.weir.stream.spi.SinkFactory;

/** The blueprint of a whole pipeline, from sources to sink. Immutable; each {@link #run} is independent. */
public final class Pipeline {

    private final Source<?> source;
    private final Sink<?> sink;
    private final String name;

    <T> Pipeline(Source<T> source, Sink<? super T> sink, String name) {
        this.source = source;
        this.sink = sink;
        this.name = name;
    }

    /** The same pipeline under a name of its own, which threads and messages carry. Default: {@code pipeline}. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // source and sink were matched when the pipeline was made
    public Pipeline named(String newName) {
        return new Pipeline((Source) source, (Sink) sink, newName);
    }

    /** Starts it. The caller owns what comes out and closes it. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // source and sink were matched when the pipeline was made
    public RunningPipeline run() {
        return PipelineRun.start(name, ((Source) source).node, sink.name, (SinkFactory) sink.factory);
    }
}
