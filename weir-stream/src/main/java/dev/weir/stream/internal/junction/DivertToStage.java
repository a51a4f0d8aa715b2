package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the elements that match a predicate to a side sink, with their acknowledgements. Passes the other elements on.
 * Confined to the stage's thread.
 */
final class DivertToStage<T> extends SideStage<T> {

    private final Predicate<? super T> divert;
    private final SupervisedCall supervised;

    private DivertToStage(Parts<T> parts, Predicate<? super T> divert, SupervisedCall supervised) {
        super(parts);
        this.divert = divert;
        this.supervised = supervised;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, SideSink<T> sink, Predicate<? super T> divert) {
        return new BlueprintNode<>("divertTo", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new DivertToStage<>(
                    build(assembly, attributes, upstream, sink),
                    divert,
                    SupervisedCall.by(attributes, assembly.clock()));
        });
    }

    @Override
    @Nullable
    Batch<T> share(Batch<T> batch) throws InterruptedException {
        Batch<T> aside = new Batch<>(0);
        int size = batch.size();
        int kept = 0;
        int i = 0;
        try {
            for (; i < size; i++) {
                Boolean diverted = isDiverted(batch, i);
                if (diverted == null) {
                    continue;
                }
                if (diverted) {
                    aside.add(batch.get(i), batch.target(i), batch.token(i));
                } else {
                    batch.move(i, kept++);
                }
            }
        } catch (InterruptedException interrupted) {
            try {
                aside.abandonAll();
            } finally {
                batch.abandonAllBut(kept, i);
            }
            throw interrupted;
        } catch (RuntimeException | Error thrown) {
            fail(thrown);
            batch.abandonFrom(i);
        }
        batch.truncate(kept);
        return aside.isEmpty() || give(aside, batch) ? batch : null;
    }

    private @Nullable Boolean isDiverted(Batch<T> batch, int index) throws InterruptedException {
        try {
            return divert.test(batch.get(index));
        } catch (Throwable thrown) {
            return supervised.<T, Boolean>orDrop(thrown, divert::test, batch, index);
        }
    }
}
