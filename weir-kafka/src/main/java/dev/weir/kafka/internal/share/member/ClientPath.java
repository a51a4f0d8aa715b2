package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.group.ShareFaults;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires records with Kafka's client, by a fixed number of {@linkplain ShareConsumerThread share consumers}. Together
 * they acquire one record per worker, and none in advance.
 */
final class ClientPath implements SharePath {

    private static final Logger LOG = LoggerFactory.getLogger(ClientPath.class);

    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * Additional time after the close deadline, in which a share consumer receives its last responses and leaves the
     * group.
     */
    private static final Duration GRACE = Duration.ofSeconds(60);

    /**
     * Permit to poll again after an empty poll, for one share consumer at a time; see
     * {@code ShareConsumerThread.fetch}.
     */
    final Semaphore mayAskInVain = new Semaphore(1);

    private final Setup setup;
    private final Function<Map<String, Object>, ShareConsumer<byte[], byte[]>> clients;
    private final Map<TopicPartition, Long> lastAcquired = new ConcurrentHashMap<>();
    private final AtomicInteger refused = new AtomicInteger();

    /** All consumers made so far, including ones that the group refused. */
    private volatile List<ShareConsumerThread> consumers = List.of();

    private volatile boolean joined;

    /**
     * Creates the path. {@link #start} creates the clients.
     *
     * @param clients creates a client from a configuration
     */
    ClientPath(Setup setup, Function<Map<String, Object>, ShareConsumer<byte[], byte[]>> clients) {
        this.setup = setup;
        this.clients = clients;
    }

    @Override
    public Plan first(int workers, int maxLanes) {
        int number = Math.min(workers, maxLanes);
        return new Plan(number, Math.ceilDiv(workers, number), AcquireMode.RECORD_LIMIT);
    }

    @Override
    public void start(Plan plan) {
        setup.ready().lowWater(plan.pollRecords());
        List<ShareConsumerThread> made = new ArrayList<>();
        try {
            while (made.size() < plan.consumers()) {
                made.add(new ShareConsumerThread(setup, made.size(), client(plan, made.size()), this));
            }
        } catch (KafkaException unmade) {
            if (made.isEmpty()) {
                throw unmade;
            }
            LOG.warn("{}: no further share consumer can be made: {}", setup.name(), unmade.toString());
        } finally {
            consumers = List.copyOf(made); // also after an error, for close()
        }
        made.forEach(ShareConsumerThread::start);
    }

    private ShareConsumer<byte[], byte[]> client(Plan plan, int number) {
        Map<String, Object> config = new HashMap<>(setup.config());
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, config.get(ConsumerConfig.CLIENT_ID_CONFIG) + "-" + number);
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, plan.pollRecords());
        config.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, plan.mode().configured());
        return clients.apply(config);
    }

    /** Reports that a share consumer has an assignment. May be called from any thread. */
    void joined() {
        joined = true;
    }

    /** Reports an acquired record. May be called from any thread. */
    void acquired(TopicPartition partition, long offset) {
        var unused = lastAcquired.merge(partition, offset, Math::max);
    }

    /** Reports that the full group has refused a share consumer, which then ends. May be called from any thread. */
    void refused(GroupMaxSizeReachedException full) {
        int left = consumers.size() - refused.incrementAndGet();
        if (left == 0) {
            setup.onFailure().accept(ShareFaults.explained(full));
            return;
        }
        LOG.warn(
                "{}: the share group accepts no more members, so there are {} share consumers: raise"
                        + " group.share.max.size of the brokers, or allow fewer share consumers (ShareSettings.maxLanes) ({})",
                setup.name(),
                left,
                Thrown.reason(full));
    }

    @Override
    public void stop() {
        setup.ready().end();
    }

    @Override
    public int close(Duration patience) {
        stop();
        long deadline = System.nanoTime() + (patience.compareTo(LONGEST) < 0 ? patience : LONGEST).toNanos();
        boolean interrupted = false;
        closeAll(deadline);
        for (int i = 0; i < consumers.size(); ) {
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                if (!consumers.get(i).join(GRACE.plusNanos(left))) {
                    LOG.warn("{}: a share consumer has not ended {} after its time was over", setup.name(), GRACE);
                }
                i++;
            } catch (InterruptedException hurry) {
                interrupted = true;
                deadline = System.nanoTime();
                closeAll(deadline); // Unfinished records are released now.
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return consumers.stream().mapToInt(ShareConsumerThread::unfinished).sum();
    }

    private void closeAll(long deadlineNanos) {
        consumers.forEach(consumer -> consumer.close(deadlineNanos));
    }

    @Override
    public boolean isJoined() {
        return joined;
    }

    @Override
    public int lanes() {
        return consumers.size() - refused.get();
    }

    @Override
    public long widestSpan() {
        Map<TopicPartition, Long> first = new HashMap<>();
        for (ShareConsumerThread consumer : consumers) {
            consumer.held().firstOffsets().forEach((partition, offset) -> first.merge(partition, offset, Math::min));
        }
        return first.entrySet().stream()
                .mapToLong(each -> lastAcquired.getOrDefault(each.getKey(), each.getValue()) - each.getValue() + 1)
                .max()
                .orElse(0);
    }

    @Override
    public int lockMillis() {
        return consumers.stream()
                .mapToInt(consumer -> consumer.held().lockMillis())
                .max()
                .orElse(0);
    }
}
