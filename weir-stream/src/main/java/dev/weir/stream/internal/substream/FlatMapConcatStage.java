package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element with the elements of a stream. The streams run one after the other. Confined to the stage's
 * thread.
 */
final class FlatMapConcatStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Function<? super T, BlueprintNode<R>> function;
    private final SupervisedCall supervised;
    private final NestedStreams nested;
    private final String name;
    private final StageMeter meter;

    private final HeldElements inside;

    private Batch<T> parents = new Batch<>(0);
    private int next;
    private ParentAcknowledgement parent = ParentAcknowledgement.NONE;
    private NestedStreams.@Nullable Child<R> child;

    private FlatMapConcatStage(
            Stage<T> upstream,
            Function<? super T, BlueprintNode<R>> function,
            SupervisedCall supervised,
            NestedStreams nested,
            String name,
            StageMeter meter) {
        this.upstream = upstream;
        this.function = function;
        this.supervised = supervised;
        this.nested = nested;
        this.name = name;
        this.meter = meter;
        this.inside = new HeldElements(meter);
    }

    static <T, R> BlueprintNode<R> node(BlueprintNode<T> above, Function<? super T, BlueprintNode<R>> function) {
        return new BlueprintNode<>("flatMapConcat", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            assembly.noteWaits();
            NestedStreams nested = assembly.nested();
            SupervisedCall supervised = SupervisedCall.by(attributes, assembly.clock());
            return new FlatMapConcatStage<>(upstream, function, supervised, nested, attributes.name(), entry.meter());
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (true) {
            NestedStreams.Child<R> current = child;
            if (current != null) {
                Batch<R> batch;
                try {
                    batch = current.pull(deadlineNanos);
                } catch (Throwable failure) {
                    parent.note(failure, name);
                    throw failure;
                }
                if (batch != null) {
                    meter.out(batch.size());
                    return parent.over(batch);
                }
                child = null;
                closeChild(current);
                parent.ended(current);
                inside.set(parents.size() - next);
            } else if (next < parents.size()) {
                if (Thread.interrupted()) {
                    // Parents with empty streams cause no pull of the upstream stage, so check for a cancellation here.
                    throw new InterruptedException();
                }
                begin();
            } else {
                Batch<T> pulled = upstream.pull(deadlineNanos);
                if (pulled == null) {
                    return null;
                }
                if (pulled.isEmpty()) {
                    return pulled.retyped();
                }
                meter.in(pulled.size());
                inside.set(pulled.size());
                parents = pulled;
                next = 0;
            }
        }
    }

    /**
     * Starts the next stream. If this fails or is interrupted, the current parent and all later ones stay
     * unacknowledged.
     */
    private void begin() throws InterruptedException {
        BlueprintNode<R> stream = SubstreamHelpers.of(parents, next, function, supervised);
        if (stream != null) {
            child = nested.start(stream);
            parent = ParentAcknowledgement.of(parents, next);
        }
        next++;
        inside.set(parents.size() - next + (stream == null ? 0 : 1));
    }

    /** Closes a stream that has ended. If this fails, its parent element stays unacknowledged. */
    private void closeChild(NestedStreams.Child<R> ended) {
        boolean isClosed = false;
        try {
            ended.close();
            isClosed = true;
        } finally {
            if (!isClosed) {
                parent.left();
            }
        }
    }

    @Override
    public void close() {
        inside.set(0);
        ParentAcknowledgement open = child == null ? ParentAcknowledgement.NONE : parent;
        FailureTransfer.runAll(List.of(
                () -> SubstreamHelpers.closeBoth(child, upstream), open::left, () -> parents.abandonFrom(next)));
    }
}
