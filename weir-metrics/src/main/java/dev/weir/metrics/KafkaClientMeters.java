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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The meters of all Kafka clients of this process as the clients themselves put them on JMX: {@code
 * kafka.consumer.fetch.manager.records.consumed.total} and so on, with the client's id as the tag {@code client_id}.
 * Those of single brokers, topics and partitions are left out. Thread-safe.
 *
 * <p>A daemon thread of its own looks each five seconds for clients that come and go; their values are read at each
 * scrape. The lean path has no such meters. Empty where {@code metric.reporters} takes the clients off JMX.
 */
public final class KafkaClientMeters implements MeterBinder, AutoCloseable {

    /** How often clients are looked for. */
    public static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

    private static final String CLIENT_TAG = "client_id";
    private static final String CLIENT_KEY = "client-id";

    /** What the clients' documentation calls groups, of one client as a whole. */
    private static final List<String> GROUPS = List.of(
            "kafka.consumer:type=consumer-metrics",
            "kafka.consumer:type=consumer-fetch-manager-metrics",
            "kafka.consumer:type=consumer-coordinator-metrics",
            "kafka.consumer:type=consumer-share-metrics",
            "kafka.consumer:type=consumer-share-fetch-manager-metrics",
            "kafka.producer:type=producer-metrics");

    /** Between two scrapes there is more. */
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final String[] NONE = {};

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final CountDownLatch over = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<ObjectName, Reading> reads = new ConcurrentHashMap<>();

    /** The figures of the clients that are there. Written under the lock. */
    private final Map<ObjectName, String[]> attributes = new ConcurrentHashMap<>();

    // Under the lock.
    private final Map<MeterRegistry, Map<Key, Meter>> registries = new HashMap<>();
    private @Nullable Thread looker;

    /** One figure of one client. */
    private record Key(ObjectName bean, String attribute) {}

    private KafkaClientMeters() {}

    /** Nothing runs until they are bound. */
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
        } catch (InterruptedException e) { // Nobody knows this thread but close, which does not interrupt.
            Thread.currentThread().interrupt();
        }
    }

    /** For tests: one look out of turn. */
    void lookNow() {
        lock.lock();
        try {
            if (over.getCount() > 0) {
                look();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Registers the figures that are there, and takes out those that are not any more. Under the lock. */
    private void look() {
        Set<Key> now = new HashSet<>();
        for (String group : GROUPS) {
            try {
                for (ObjectName bean : server.queryNames(new ObjectName(group + "," + CLIENT_KEY + "=*"), null)) {
                    List<Key> figures = figures(bean);
                    now.addAll(figures);
                    attributes.put(bean, figures.stream().map(Key::attribute).toArray(String[]::new));
                }
            } catch (JMException ignored) {
                // The client went meanwhile.
            }
        }
        Set<ObjectName> beans = new HashSet<>();
        now.forEach(figure -> beans.add(figure.bean));
        attributes.keySet().retainAll(beans);
        reads.keySet().retainAll(beans);
        registries.forEach((registry, meters) -> {
            meters.entrySet().removeIf(known -> {
                boolean gone = !now.contains(known.getKey());
                if (gone) {
                    registry.remove(known.getValue());
                }
                return gone;
            });
            now.forEach(figure -> meters.computeIfAbsent(figure, key -> register(key, registry)));
        });
    }

    private List<Key> figures(ObjectName bean) throws JMException {
        List<Key> figures = new ArrayList<>();
        for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
            if (server.getAttribute(bean, attribute.getName()) instanceof Number) {
                figures.add(new Key(bean, attribute.getName()));
            }
        }
        return figures;
    }

    private Meter register(Key figure, MeterRegistry registry) {
        String name = nameOf(figure);
        Tags tags = Tags.of(CLIENT_TAG, clientOf(figure.bean));
        return figure.attribute.endsWith("-total")
                ? FunctionCounter.builder(name, figure, this::value).tags(tags).register(registry)
                : Gauge.builder(name, figure, this::value)
                        .tags(tags)
                        .strongReference(true)
                        .register(registry);
    }

    /** An id with unusual characters stands in quotes there. */
    private static String clientOf(ObjectName bean) {
        String id = bean.getKeyProperty(CLIENT_KEY);
        return id.startsWith("\"") ? ObjectName.unquote(id) : id;
    }

    /** As Micrometer names them: {@code kafka.consumer.fetch.manager.records.lag.max}. */
    private static String nameOf(Key figure) {
        String group = figure.bean.getKeyProperty("type").replace("-metrics", "");
        return "kafka." + (group + "." + figure.attribute).replace('-', '.').toLowerCase(Locale.ROOT);
    }

    private double value(Key figure) {
        return reads.computeIfAbsent(figure.bean, bean -> new Reading()).value(figure);
    }

    /** All figures of one client, read at once for those who ask one after the other. */
    private final class Reading {

        private final ReentrantLock reading = new ReentrantLock();

        // Under that lock.
        private Map<String, Double> figures = Map.of();
        private long readNanos;

        double value(Key figure) {
            reading.lock();
            try {
                long now = System.nanoTime();
                if (figures.isEmpty() || now - readNanos >= READ_NANOS) {
                    figures = read(figure.bean);
                    readNanos = now;
                }
                return figures.getOrDefault(figure.attribute, Double.NaN);
            } finally {
                reading.unlock();
            }
        }
    }

    private Map<String, Double> read(ObjectName bean) {
        Map<String, Double> figures = new HashMap<>();
        try {
            String[] names = attributes.getOrDefault(bean, NONE);
            for (Attribute each : server.getAttributes(bean, names).asList()) {
                if (each.getValue() instanceof Number number) {
                    figures.put(each.getName(), number.doubleValue());
                }
            }
        } catch (JMException gone) {
            return Map.of();
        }
        return figures;
    }

    /** Removes the meters from all registries and ends the thread. */
    @Override
    public void close() {
        lock.lock();
        try {
            over.countDown();
            registries.forEach((registry, meters) -> meters.values().forEach(registry::remove));
            registries.clear();
        } finally {
            lock.unlock();
        }
    }
}
