package dev.weir.stream.internal.interop;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Emits the elements of a publisher's inbox, without acknowledgements. Confined to the stage's thread. */
final class PublisherSource<T> implements Stage<T> {

    private final PublisherInbox<T> inbox;
    private final StageMeter meter;
    private final Clock clock;

    private PublisherSource(PublisherInbox<T> inbox, StageMeter meter, Clock clock) {
        this.inbox = inbox;
        this.meter = meter;
        this.clock = clock;
    }

    /** Creates a source that subscribes to the publisher in each run. */
    static <T> BlueprintNode<T> node(Flow.Publisher<? extends T> publisher, int buffer) {
        PublisherInbox.checkCapacity(buffer);
        return node(() -> new PublisherInbox<T>(buffer), publisher::subscribe);
    }

    /** Creates a source for one run that reads {@code inbox}. The caller passes the publisher's signals to it. */
    static <T> BlueprintNode<T> node(PublisherInbox<T> inbox) {
        return node(() -> inbox, ignored -> {});
    }

    private static <T> BlueprintNode<T> node(
            Supplier<PublisherInbox<T>> inboxes, Consumer<PublisherInbox<T>> subscribe) {
        return new BlueprintNode<>("publisher", (assembly, attributes) -> {
            StageEntry entry = assembly.fused(attributes);
            PublisherInbox<T> inbox = inboxes.get();
            Stage<T> stage = assembly.source(() -> new PublisherSource<>(inbox, entry.meter(), assembly.clock()));
            entry.depth(inbox::depth);
            entry.onStop(inbox::stop);
            if (!assembly.isProbe()) {
                subscribe.accept(inbox);
            }
            return stage;
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = inbox.take(deadlineNanos, clock, meter);
        if (batch != null && !batch.isEmpty()) {
            long start = System.nanoTime();
            // Request now, so that the publisher works while the downstream stages process these elements.
            inbox.callPublisher();
            meter.worked(batch.size(), batch.size(), start);
        }
        return batch;
    }

    @Override
    public void close() {
        inbox.close();
    }
}
