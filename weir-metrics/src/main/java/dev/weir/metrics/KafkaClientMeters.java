package dev.weir.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meters of all Kafka clients in this process, read from the clients' JMX beans, such as
 * {@code kafka.consumer.fetch.manager.records.consumed.total}. The client's id is the tag {@code client_id}. Metrics of
 * individual brokers, topics and partitions are omitted. Thread-safe.
 *
 * <p>A daemon thread checks for new and closed clients every five seconds; each scrape reads their values. The lean
 * path has no such meters. There are no meters if {@code metric.reporters} disables JMX for the clients.
 */
public final class KafkaClientMeters implements MeterBinder, AutoCloseable {

    /** The interval between checks for new and closed clients. */
    public static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(KafkaClientMeters.class);

    private static final String CLIENT_TAG = "client_id";
    private static final String CLIENT_KEY = "client-id";

    /** The metric groups that describe a client as a whole, named as in the Kafka documentation. */
    private static final List<String> GROUPS = List.of(
            "kafka.consumer:type=consumer-metrics",
            "kafka.consumer:type=consumer-fetch-manager-metrics",
            "kafka.consumer:type=consumer-coordinator-metrics",
            "kafka.consumer:type=consumer-share-metrics",
            "kafka.consumer:type=consumer-share-fetch-manager-metrics",
            "kafka.producer:type=producer-metrics");

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final CountDownLatch over = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<MeterRegistry, Map<Key, Shown>> registries = new HashMap<>();
    private boolean failing;
    private @Nullable Thread looker;

    /** One metric of one client. */
    private record Key(ObjectName bean, String attribute) {}

    /** A registered meter. Registries refer to a counter's {@code count} only weakly, so this record keeps it. */
    private record Shown(Meter meter, @Nullable Count count) {}

    /** A count that never decreases, even if a client is closed and another client gets its id. Thread-safe. */
    private final class Count {

        private final Key figure;
        private final ReentrantLock counting = new ReentrantLock();

        // Guarded by the lock.
        private double ofEarlierClients;
        private double last;

        Count(Key figure) {
            this.figure = figure;
        }

        double total() {
            counting.lock();
            try {
                double now = value(figure);
                if (!Double.isNaN(now)) {
                    ofEarlierClients += now < last ? last : 0;
                    last = now;
                }
                return ofEarlierClients + last;
            } finally {
                counting.unlock();
            }
        }
    }

    private KafkaClientMeters() {}

    /** Creates meters that do not read anything until they are bound. */
    public static KafkaClientMeters create() {
        return new KafkaClientMeters();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        lock.lock();
        try {
            if (over.getCount() == 0) {
                throw new IllegalStateException("the meters of the Kafka clients are closed");
            }
            registries.putIfAbsent(registry, new HashMap<>());
            look();
            if (looker == null) {
                looker = Thread.ofPlatform()
                        .daemon()
                        .name("weir-metrics-clients")
                        .start(this::lookUntilOver);
            }
        } finally {
            lock.unlock();
        }
    }

    private void lookUntilOver() {
        try {
            while (!over.await(LOOK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                lookNow();
            }
        } catch (InterruptedException e) { // Not expected, because nothing interrupts this private thread.
            Thread.currentThread().interrupt();
        }
    }

    /** Checks now. Only logs a failure, so that the thread survives it. */
    void lookNow() {
        lock.lock();
        try {
            if (over.getCount() > 0) {
                look();
                failing = false;
            }
        } catch (Throwable e) {
            if (!failing) {
                LOG.warn("the meters of the Kafka clients are not updated", e);
            }
            failing = true;
        } finally {
            lock.unlock();
        }
    }

    /** Registers new metrics and removes metrics that are gone. Must be called under the lock. */
    private void look() {
        Set<Key> now = new HashSet<>();
        for (String group : GROUPS) {
            for (ObjectName bean : server.queryNames(pattern(group), null)) {
                now.addAll(figures(bean));
            }
        }
        registries.forEach((registry, meters) -> {
            meters.entrySet().removeIf(known -> {
                boolean gone = !now.contains(known.getKey());
                if (gone) {
                    registry.remove(known.getValue().meter);
                }
                return gone;
            });
            now.forEach(figure -> meters.computeIfAbsent(figure, key -> register(key, registry)));
        });
    }

    private static ObjectName pattern(String group) {
        try {
            return new ObjectName(group + "," + CLIENT_KEY + "=*");
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the keys of a bean's numeric attributes; empty if its client has just been closed. */
    private List<Key> figures(ObjectName bean) {
        List<Key> figures = new ArrayList<>();
        try {
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
                if (server.getAttribute(bean, attribute.getName()) instanceof Number) {
                    figures.add(new Key(bean, attribute.getName()));
                }
            }
        } catch (JMException | JMRuntimeException closed) {
            return List.of();
        }
        return figures;
    }

    private Shown register(Key figure, MeterRegistry registry) {
        String name = nameOf(figure);
        Tags tags = Tags.of(CLIENT_TAG, clientOf(figure.bean));
        if (figure.attribute.endsWith("-total")) {
            Count count = new Count(figure);
            return new Shown(
                    FunctionCounter.builder(name, count, Count::total)
                            .tags(tags)
                            .register(registry),
                    count);
        }
        return new Shown(
                Gauge.builder(name, figure, this::value)
                        .tags(tags)
                        .strongReference(true)
                        .register(registry),
                null);
    }

    /** Returns the client id of a bean, without the quotes that JMX adds to special characters. */
    private static String clientOf(ObjectName bean) {
        String id = bean.getKeyProperty(CLIENT_KEY);
        return id.startsWith("\"") ? ObjectName.unquote(id) : id;
    }

    /** Returns the meter name in Micrometer's style, such as {@code kafka.consumer.fetch.manager.records.lag.max}. */
    private static String nameOf(Key figure) {
        String group = figure.bean.getKeyProperty("type").replace("-metrics", "");
        return "kafka." + (group + "." + figure.attribute).replace('-', '.').toLowerCase(Locale.ROOT);
    }

    private double value(Key figure) {
        try {
            return server.getAttribute(figure.bean, figure.attribute) instanceof Number number
                    ? number.doubleValue()
                    : Double.NaN;
        } catch (JMException gone) {
            return Double.NaN;
        }
    }

    /** Removes the meters from all registries and stops the thread. */
    @Override
    public void close() {
        lock.lock();
        try {
            over.countDown();
            registries.forEach((registry, meters) -> meters.values().forEach(shown -> registry.remove(shown.meter)));
            registries.clear();
        } finally {
            lock.unlock();
        }
    }
}
