package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DueRecords;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.owner.ConsumerStart;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Creates the stage of a source whose offsets are committed in transactions with its output. Immutable. */
public final class TransactionalSource<K, V> implements SourceFactory<ConsumerRecord<K, V>> {

    /** The minimum session timeout in a classic group that brokers allow by default. */
    private static final int SESSION_MILLIS = 6_000;

    /** Minimum metadata length, enough for a few hundred gaps between finished offsets. */
    private static final int MIN_METADATA_CHARS = 512;

    private final ConsumerSettings<K, V> settings;
    private final Subscription subscription;
    private final ExactlyOnceRun<?, ?> run;

    /** Checks the settings and creates a source; see {@link #check}. */
    public TransactionalSource(ConsumerSettings<K, V> settings, Subscription subscription, ExactlyOnceRun<?, ?> run) {
        this.settings = settings;
        this.subscription = subscription;
        this.run = run;
        check(settings, subscription);
    }

    /** Refuses contradictory settings. */
    public static void check(ConsumerSettings<?, ?> settings, Subscription subscription) {
        var ignored = new ConsumerStart(settings, subscription, new Delivery.Committable(), null);
        if (settings.commitMetadataChars() < MIN_METADATA_CHARS) {
            throw new IllegalArgumentException("exactly-once notes in each commit what is finished past it:"
                    + " commitMetadataChars must be at least " + MIN_METADATA_CHARS + ": commitMetadataChars="
                    + settings.commitMetadataChars());
        }
        if (subscription.selection() instanceof Subscription.Partitions) {
            throw new IllegalArgumentException("exactly-once needs a group that assigns the partitions, so that the"
                    + " brokers can fence members that lost them; subscribe to topics or a pattern");
        }
    }

    /**
     * Returns the settings with the run's id in the client id. In a classic group, also shortens the session timeout,
     * unless the user has set it.
     */
    private static <K, V> ConsumerSettings<K, V> ofRun(ConsumerSettings<K, V> settings, TransactionPlan plan) {
        var properties = settings.properties();
        var builder = settings.toBuilder()
                .property(
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        plan.clientId(properties.getOrDefault(ConsumerConfig.CLIENT_ID_CONFIG, "weir")));
        String isolation = ConsumerConfig.ISOLATION_LEVEL_CONFIG;
        builder.property(isolation, properties.getOrDefault(isolation, "read_committed"));
        String protocol = properties.getOrDefault(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        if (!protocol.toLowerCase(Locale.ROOT).equals("consumer")
                && !properties.containsKey(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG)
                && !properties.containsKey(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG)) {
            builder.property(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, String.valueOf(SESSION_MILLIS))
                    .property(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, String.valueOf(SESSION_MILLIS / 3));
        }
        return builder.build();
    }

    @Override
    public Stage<ConsumerRecord<K, V>> create(StageContext context) {
        TransactionPlan plan = run.plan(settings);
        ConsumerSettings<K, V> ofRun = ofRun(settings, plan);
        ConsumerStart start = new ConsumerStart(ofRun, subscription, new Delivery.Committable(), null);
        ExactlyOnceRun.Opened<?, ?> opened = run.open(ofRun, subscription.isBounded(), plan, context);
        // Close the producers after the consumer, whose close makes the last commit.
        context.onTermination(patience -> {
            opened.close();
            return "";
        });
        RecordBuffer buffer = new RecordBuffer(context.clock(), DueRecords.of(subscription));
        Stage<ConsumerRecord<K, V>> records = start.open(context, buffer, ofRun, opened.transactions());
        opened.start();
        return new Held<>(opened, start.pulled(records, context));
    }

    /**
     * The source's stage, which emits nothing while the pipeline must not receive records. Confined to the stage's
     * thread.
     */
    private record Held<T>(ExactlyOnceRun.Opened<?, ?> opened, Stage<T> records) implements Stage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            if (opened.isIntakeHeld()) {
                opened.awaitIntake(deadlineNanos);
                if (opened.isIntakeHeld()) {
                    return new Batch<>(0);
                }
            }
            Batch<T> batch = records.pull(deadlineNanos);
            if (batch != null) {
                opened.emits(batch);
            }
            return batch;
        }

        @Override
        public void close() {
            records.close();
        }
    }
}
