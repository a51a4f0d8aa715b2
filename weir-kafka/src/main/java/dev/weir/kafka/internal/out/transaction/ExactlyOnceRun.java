package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.internal.out.write.OutputTopics;
import dev.weir.kafka.internal.out.write.RunProducers;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Action;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.StageContext;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Connects the source and the sink of a run of an exactly-once flow. The source calls {@link #open}. Directly
 * afterwards, the same thread creates the sink with {@link #create}. Immutable except for the transactions handed over
 * between these two calls.
 */
public final class ExactlyOnceRun<K, V> implements SinkFactory<ProducerRecord<K, V>> {

    /**
     * Passes the transactions of a new run from its source to its sink. The reference is weak because no sink removes
     * it if the run fails to start.
     */
    private static final ThreadLocal<@Nullable WeakReference<Opened<?, ?>>> HANDED_OVER = new ThreadLocal<>();

    /** The transactions of one run, used by its source and its sink. */
    public static final class Opened<K, V> implements AutoCloseable {

        private final ExactlyOnceRun<K, V> of;
        private final TransactionsOfRun<K, V> run;
        private final TransactionCommitter<K, V> committer;
        private final RunProducers<K, V> producers;
        private final TransactionCounts counts = new TransactionCounts();
        private final TransactionPlan plan;
        private final ConsumerTransactions<K, V> transactions;
        private final ClientProgress progress;

        Opened(
                ExactlyOnceRun<K, V> of,
                ConsumerSettings<?, ?> consumer,
                boolean isBounded,
                TransactionPlan plan,
                StageContext context) {
            this.of = of;
            this.plan = plan;
            this.producers = new RunProducers<>(of.settings);
            this.run = new TransactionsOfRun<>(context.clock(), isBounded);
            this.committer = new TransactionCommitter<>(
                    run,
                    context,
                    counts,
                    of.whenCommitted,
                    number -> producers.transactional(plan.transactionalId(number), TransactionPlan.TIMEOUT_MILLIS));
            this.progress = ClientProgress.of(
                    of.settings.clientConfig(),
                    IntStream.range(0, TransactionCommitter.PRODUCERS)
                            .mapToObj(plan::transactionalId)
                            .toList());
            committer.watch(progress);
            run.rule = TransactionRule.of(of.failures, context, of.settings, committer.trial());
            this.transactions = new ConsumerTransactions<>(
                    run, committer, plan, context, new TransactionFence(consumer.clientConfig(), plan)::look);
            context.expose(counts);
        }

        /** Returns the consumer's part of the transactions. */
        public ConsumerTransactions<K, V> transactions() {
            return transactions;
        }

        /** Opens the producers on a separate thread. */
        public void start() {
            committer.start();
        }

        /** Returns whether the pipeline must not receive records at present. May be called from any thread. */
        public boolean isIntakeHeld() {
            return run.isIntakeHeld();
        }

        /** Registers the sources of a batch's elements. Called by the source's thread before it emits the batch. */
        void emits(Batch<?> batch) {
            AckTarget last = AckTarget.NONE;
            for (int i = 0; i < batch.size(); i++) {
                AckTarget target = batch.target(i);
                if (target != last) {
                    run.emits(target);
                    last = target;
                }
            }
        }

        /** Waits while {@link #isIntakeHeld} is true, at most until {@code deadlineNanos} on the run's clock. */
        public void awaitIntake(long deadlineNanos) throws InterruptedException {
            run.lock.lockInterruptibly();
            try {
                while (run.isIntakeHeld() && !run.isEnded() && !run.clock.hasPassed(deadlineNanos)) {
                    run.clock.await(run.lock, run.changed, deadlineNanos);
                }
            } finally {
                run.lock.unlock();
            }
        }

        /** Aborts the open transaction and closes the producers. Must be called after the consumer's last commit. */
        @Override
        public void close() {
            committer.close();
            producers.close();
        }
    }

    private final ProducerSettings<K, V> settings;
    private final @Nullable Action<? super List<RecordMetadata>> whenCommitted;
    private final WriteFailures failures;
    private final BiFunction<String, @Nullable String, TransactionPlan> plans;

    /**
     * Creates a factory of runs.
     *
     * @param whenCommitted receives the offsets of committed records; null if there is no listener
     * @param plans creates a run's ids and limits from the group id and the {@code group.instance.id}, which may be
     *     null
     */
    public ExactlyOnceRun(
            ProducerSettings<K, V> settings,
            @Nullable Action<? super List<RecordMetadata>> whenCommitted,
            WriteFailures failures,
            BiFunction<String, @Nullable String, TransactionPlan> plans) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.whenCommitted = whenCommitted;
        this.failures = failures;
        this.plans = plans;
    }

    /** Returns the ids and limits of a new run. */
    public TransactionPlan plan(ConsumerSettings<?, ?> consumer) {
        Object member = consumer.clientConfig().get(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        return plans.apply(
                Objects.requireNonNull(consumer.groupId(), "group"), member == null ? null : member.toString());
    }

    /**
     * Creates the transactions of a run for its source.
     *
     * @param isBounded whether the source is bounded
     */
    public Opened<K, V> open(
            ConsumerSettings<?, ?> consumer, boolean isBounded, TransactionPlan plan, StageContext context) {
        Opened<K, V> opened = new Opened<>(this, consumer, isBounded, plan, context);
        HANDED_OVER.set(new WeakReference<>(opened));
        return opened;
    }

    @Override
    @SuppressWarnings("unchecked") // opened.of is this object, with the same type parameters
    public SinkLoop<ProducerRecord<K, V>> create(StageContext context) {
        WeakReference<Opened<?, ?>> handedOver = HANDED_OVER.get();
        Opened<K, V> opened = handedOver == null ? null : (Opened<K, V>) handedOver.get();
        HANDED_OVER.remove();
        if (opened == null || opened.of != this) {
            throw new KafkaPipelineException(
                    "the records of an exactly-once flow do not come from its source: the function that is given the"
                            + " source must return what it makes of it");
        }
        context.exposeResource(opened.committer.look(context.stageName()));
        ClientWatch.begin(settings.clientConfig(), opened.progress, context, opened.committer::look);
        OutputTopics topics = OutputTopics.create(settings.clientConfig(), context);
        return new TransactionalLoop<>(opened.run, opened.committer, opened.counts, opened.plan, topics, context);
    }
}
