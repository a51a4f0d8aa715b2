package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.PartitionSource;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionOutlets;
import dev.weir.kafka.internal.in.buffer.SourceStage;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Creates the runtime objects of a partitioned source, which emits one source for each assigned partition. Immutable.
 */
public final class PartitionedSource<K, V> implements SourceFactory<PartitionSource<K, V>> {

    private final ConsumerSettings<K, V> settings;
    private final ConsumerStart start;

    private PartitionedSource(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external) {
        this.settings = settings;
        this.start = new ConsumerStart(settings, subscription, delivery, external);
    }

    /** Returns a source that commits records after they are acknowledged. */
    public static <K, V> PartitionedSource<K, V> committable(
            ConsumerSettings<K, V> settings, Subscription subscription) {
        return new PartitionedSource<>(settings, subscription, new Delivery.Committable(), null);
    }

    /** Returns a source that commits nothing. {@code external} stores its offsets. */
    public static <K, V> PartitionedSource<K, V> external(
            ConsumerSettings<K, V> settings, Subscription subscription, ExternalOffsets external) {
        return new PartitionedSource<>(settings, subscription, new Delivery.Plain(true), external);
    }

    @Override
    public Stage<PartitionSource<K, V>> create(StageContext context) {
        PartitionOutlets outlets = new PartitionOutlets(context.clock(), start::delay);
        ConsumerLoop loop = start.start(context, outlets);
        return start.pulled(new Announcements(outlets, context, loop), context);
    }

    /** Emits a source for each assigned partition. Confined to the stage's thread. */
    private final class Announcements implements Stage<PartitionSource<K, V>> {

        private final PartitionOutlets outlets;
        private final StageContext context;
        private final ConsumerLoop loop;

        Announcements(PartitionOutlets outlets, StageContext context, ConsumerLoop loop) {
            this.outlets = outlets;
            this.context = context;
            this.loop = loop;
        }

        @Override
        public @Nullable Batch<PartitionSource<K, V>> pull(long deadlineNanos) throws InterruptedException {
            List<AssignedPartition> partitions = outlets.take(deadlineNanos, context.meter());
            if (partitions == null) {
                return null;
            }
            long start = System.nanoTime();
            Batch<PartitionSource<K, V>> batch = new Batch<>(partitions.size());
            for (AssignedPartition partition : partitions) {
                batch.add(new PartitionSource<>(partition.id(), records(partition)));
            }
            context.meter().worked(batch.size(), batch.size(), start);
            return batch;
        }

        private Source<ConsumerRecord<K, V>> records(AssignedPartition partition) {
            AtomicBoolean taken = new AtomicBoolean();
            return Source.custom("partition", inner -> {
                if (taken.getAndSet(true)) {
                    throw new IllegalStateException("the records of " + partition + " were given to a stream before");
                }
                return start.pulled(
                        new SourceStage<>(
                                partition.outlet(),
                                settings,
                                inner.meter(),
                                loop.isTracked(),
                                loop::taken,
                                () -> loop.abandon(partition)),
                        inner);
            });
        }

        @Override
        public void close() {
            loop.stop();
        }
    }
}
