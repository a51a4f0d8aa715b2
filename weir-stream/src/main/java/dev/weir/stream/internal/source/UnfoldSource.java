package dev.weir.stream.internal.source;

import dev.weir.stream.Unfolded;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.Batch;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Emits elements that a function computes from a state. Confined to the stage's thread. */
final class UnfoldSource<S, T> extends ReadingSource<T> {

    private final Function<? super S, Optional<Unfolded<S, T>>> function;

    private S state;

    private UnfoldSource(S state, Function<? super S, Optional<Unfolded<S, T>>> function, StageAttributes attributes) {
        super(attributes);
        this.state = state;
        this.function = function;
    }

    static <S, T> BlueprintNode<T> node(S initial, Function<? super S, Optional<Unfolded<S, T>>> function) {
        return reading("unfold", attributes -> new UnfoldSource<>(initial, function, attributes));
    }

    @Override
    boolean fill(Batch<T> batch, int limit) {
        while (batch.size() < limit && !isStopped()) {
            Optional<Unfolded<S, T>> unfolded =
                    Objects.requireNonNull(function.apply(state), "the function of unfold returned null");
            if (unfolded.isEmpty()) {
                return false;
            }
            state = unfolded.get().next();
            batch.add(unfolded.get().element());
        }
        return true;
    }
}
