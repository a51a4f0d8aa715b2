package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element with a stream, which ends when a newer element arrives. Confined to the thread that pulls the
 * parents.
 */
final class SwitchMap<T, R> extends SubstreamMerge<T, R> {

    private final Function<? super T, BlueprintNode<R>> function;
    private final SupervisedCall supervised;

    private ConcurrentSubstreams<R>.@Nullable Tributary current;

    private SwitchMap(Parts<R> parts, SupervisedCall supervised, Function<? super T, BlueprintNode<R>> function) {
        super(parts);
        this.function = function;
        this.supervised = supervised;
    }

    static <T, R> BlueprintNode<R> node(BlueprintNode<T> above, Function<? super T, BlueprintNode<R>> function) {
        return SubstreamMerge.node(
                "switchMap", above, (parts, supervised) -> new SwitchMap<>(parts, supervised, function));
    }

    @Override
    void take(Batch<T> parents) throws InterruptedException {
        if (parents.isEmpty()) {
            return;
        }
        // If several elements arrive together, start a stream only for the newest one.
        int last = parents.size() - 1;
        inside.set(1);
        try {
            EachAcknowledgement.of(last, parents::ack);
            BlueprintNode<R> stream = SubstreamHelpers.of(parents, last, function, supervised);
            if (stream != null) {
                if (current != null) {
                    current.replace();
                }
                current = start(stream, parents, last);
            }
            inside.set(0);
        } catch (InterruptedException | RuntimeException | Error thrown) {
            parents.abandonFrom(last);
            throw thrown;
        }
    }
}
