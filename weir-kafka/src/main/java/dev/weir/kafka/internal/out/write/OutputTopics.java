package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.produce.WrittenTopics;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fails the run if one of its output topics is deleted or recreated (ADR 61). A separate thread queries the brokers,
 * from the first record until the close. Thread-safe; no other thread waits for these queries.
 */
public final class OutputTopics implements TopicWatch, WrittenTopics {

    private static final Logger LOG = LoggerFactory.getLogger(OutputTopics.class);

    /** The interval between checks. A sign of a deleted or recreated topic shortens it, to {@link #PAUSE} or more. */
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** The time after which a missing topic counts as deleted. A broker that has just started may not know it yet. */
    private static final Duration GONE = Duration.ofSeconds(10);

    private static final long ANSWER_MILLIS = 15_000;

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private static final class State {
        Uuid id = Uuid.ZERO_UUID;
        long missingSinceNanos = -1;
        boolean told;
    }

    private final Supplier<Admin> admins;
    private final Consumer<KafkaPipelineException> onFailure;
    private final Duration interval;
    private final Duration pause;
    private final Map<String, State> topics = new ConcurrentHashMap<>();
    private final Semaphore hints = new Semaphore(0);
    private final CountDownLatch end = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock
    private @Nullable Thread looking;
    private boolean closed;

    OutputTopics(
            Supplier<Admin> admins, Consumer<KafkaPipelineException> onFailure, Duration interval, Duration pause) {
        this.admins = admins;
        this.onFailure = onFailure;
        this.interval = interval;
        this.pause = pause;
    }

    /** Creates a check that starts at the run's first record and ends when the run ends. */
    public static OutputTopics create(Map<String, ?> clientConfig, StageContext context) {
        Map<String, Object> config = new HashMap<>(clientConfig);
        config.keySet().retainAll(AdminClientConfig.configNames());
        config.remove(AdminClientConfig.CLIENT_ID_CONFIG);
        OutputTopics topics = new OutputTopics(() -> Admin.create(config), context::fail, INTERVAL, PAUSE);
        if (!SurroundingsRegistry.of(clientConfig).hasBrokers()) {
            // There are no real brokers to query.
            topics.close();
        }
        context.exposeResource(topics);
        context.onTermination(patience -> {
            topics.close();
            return "";
        });
        return topics;
    }

    @Override
    public void written(String topic) {
        if (topics.putIfAbsent(topic, new State()) == null) {
            hints.release();
            start();
        }
    }

    private void start() {
        lock.lock();
        try {
            if (looking == null && !closed) {
                looking = Thread.ofVirtual().name("weir-output-topics").start(this::run);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void suspect(String topic) {
        if (hints.availablePermits() == 0) {
            hints.release();
        }
    }

    @Override
    public boolean isKnown(String topic) {
        return topics.containsKey(topic);
    }

    @Override
    public Set<String> topics() {
        return Set.copyOf(topics.keySet());
    }

    private void run() {
        Admin admin = null;
        boolean isWarned = false;
        try {
            while (true) {
                boolean ignored = hints.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS);
                hints.drainPermits();
                try {
                    if (admin == null) {
                        admin = admins.get();
                    }
                    look(admin, System.nanoTime());
                } catch (RuntimeException | Error cannotLook) {
                    // The cause may be temporary, such as an unresolved name or a lack of memory.
                    isWarned = isWarned || warned(cannotLook);
                }
                if (end.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException ended) {
            // The check was closed.
        } finally {
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
        }
    }

    private static boolean warned(Throwable cannotLook) {
        try {
            LOG.warn("output topics are not checked, trying again: {}", cannotLook.toString());
            return true;
        } catch (RuntimeException | Error inLog) {
            return false; // there is no place to report it
        }
    }

    /** Checks all topics once. */
    void look(Admin admin, long nowNanos) throws InterruptedException {
        Map<String, KafkaFuture<TopicDescription>> answers =
                admin.describeTopics(List.copyOf(topics.keySet())).topicNameValues();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> answer : answers.entrySet()) {
            look(answer.getKey(), topics.get(answer.getKey()), answer.getValue(), nowNanos);
        }
    }

    private void look(String topic, @Nullable State state, KafkaFuture<TopicDescription> answer, long nowNanos)
            throws InterruptedException {
        if (state == null) {
            return;
        }
        try {
            Uuid id = answer.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS).topicId();
            state.missingSinceNanos = -1;
            if (state.id.equals(Uuid.ZERO_UUID)) {
                state.id = id;
            } else if (!state.id.equals(id)) {
                onFailure.accept(new KafkaPipelineException("output topic " + topic
                        + " was deleted and recreated since this run began; what was written to it before is gone, and"
                        + " its partitions and settings may be others: look at them, then start again"));
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof UnknownTopicOrPartitionException) {
                missing(topic, state, nowNanos);
            } else {
                tell(topic, state, failed.getCause());
            }
        } catch (TimeoutException brokersAway) {
            tell(topic, state, brokersAway);
        }
    }

    private void missing(String topic, State state, long nowNanos) {
        if (state.missingSinceNanos == -1) {
            state.missingSinceNanos = nowNanos;
            hints.release();
            LOG.warn("output topic {} does not exist any more, as a broker says", topic);
        } else if (nowNanos - state.missingSinceNanos >= GONE.toNanos()) {
            onFailure.accept(new KafkaPipelineException("output topic " + topic
                    + " was deleted since this run began; what was written to it is gone: create it,"
                    + " then start again"));
        } else {
            hints.release();
        }
    }

    private static void tell(String topic, State state, @Nullable Throwable why) {
        if (!state.told) {
            state.told = true;
            LOG.info("cannot check whether output topic {} is still the same: {}", topic, String.valueOf(why));
        }
    }

    /** Stops the checks, and waits a short time for the client to close. */
    void close() {
        Thread ends;
        lock.lock();
        try {
            closed = true;
            ends = looking;
        } finally {
            lock.unlock();
        }
        end.countDown();
        if (ends == null) {
            return;
        }
        ends.interrupt();
        try {
            boolean ignored = ends.join(CLOSE_PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
