package dev.weir.stream.internal.junction;

import dev.weir.stream.Supervision;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Sends the elements that a predicate accepts to a side sink, with their acknowledgements, and the others on. */
final class DivertToStage<T> extends SideStage<T> {

    private enum Way {
        ON,
        ASIDE,
        NOWHERE
    }

    private final Predicate<? super T> divert;
    private final Supervision supervision;

    private DivertToStage(Parts<T> parts, Predicate<? super T> divert, Supervision supervision) {
        super(parts);
        this.divert = divert;
        this.supervision = supervision;
    }

    static <T> Node<T> node(Node<T> above, SideSink<T> sink, Predicate<? super T> divert) {
        return new Node<>("divertTo", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new DivertToStage<>(
                    build(assembly, attributes, upstream, sink), divert, attributes.supervisionOrFail());
        });
    }

    @Override
    @Nullable
    Batch<T> share(Batch<T> batch) throws InterruptedException {
        Batch<T> aside = new Batch<>(0);
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            switch (wayOf(batch, i)) {
                case ON -> {
                    if (kept < i) {
                        batch.move(i, kept);
                    }
                    kept++;
                }
                case ASIDE -> aside.add(batch.get(i), batch.target(i), batch.token(i));
                case NOWHERE -> {}
            }
        }
        batch.truncate(kept);
        return aside.isEmpty() || side.give(aside, segment) ? batch : null;
    }

    private Way wayOf(Batch<T> batch, int index) {
        boolean acknowledge = false;
        try {
            return divert.test(batch.get(index)) ? Way.ASIDE : Way.ON;
        } catch (Throwable failure) {
            switch (supervision.decide(failure)) {
                case FAIL -> throw failure;
                case SKIP, RESTART -> acknowledge = true;
                case SKIP_UNACKNOWLEDGED -> {}
            }
        }
        if (acknowledge) {
            batch.ack(index);
        }
        return Way.NOWHERE;
    }
}
