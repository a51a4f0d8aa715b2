package dev.weir.bench.beans;

import dev.weir.bench.workload.LockWindow;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Takes samples of the brokers' figures. Each sample contains the mean request times since the previous sample, the
 * current number of acquisition locks and the current number of queued requests. Confined to one thread.
 */
public final class BrokerSeries {
    /** Total number of acquisition locks held by share groups. */
    static final String LOCKED = "broker: records locked";

    /** Largest number of acquisition locks held in any one partition. */
    static final String LOCKED_OF_ONE = LockWindow.HELD;

    static final String QUEUE = "broker: requests queued";

    private final BrokerBeans brokers;
    private final BrokerTimes times;
    private BrokerTimes.@Nullable Reading last;

    public BrokerSeries(BrokerBeans brokers) {
        this.brokers = brokers;
        this.times = new BrokerTimes(brokers);
    }

    /** Returns the current figures by series name. The first call returns no request times. */
    public Map<String, Double> look() {
        Map<String, Double> figures = new LinkedHashMap<>();
        BrokerTimes.Reading now = times.read();
        BrokerTimes.Reading before = last;
        last = now;
        if (before != null) {
            now.since(before).forEach((name, value) -> {
                if (name.endsWith(" ms") && !name.endsWith(BrokerTimes.P99)) {
                    figures.put(name, value);
                }
            });
        }
        brokers.each(beans -> add(beans, figures));
        return figures;
    }

    static void add(MBeanServerConnection beans, Map<String, Double> figures) throws JMException, IOException {
        Set<ObjectName> partitions =
                beans.queryNames(new ObjectName("*:type=SharePartitionMetrics,name=InFlightMessageCount,*"), null);
        for (ObjectName partition : partitions) {
            Double locked = value(beans, partition);
            if (locked != null) {
                figures.merge(LOCKED, locked, Double::sum);
                figures.merge(LOCKED_OF_ONE, locked, Math::max);
            }
        }
        Double queued = value(beans, new ObjectName("kafka.network:type=RequestChannel,name=RequestQueueSize"));
        if (queued != null) {
            figures.merge(QUEUE, queued, Double::sum);
        }
    }

    private static @Nullable Double value(MBeanServerConnection beans, ObjectName gauge)
            throws JMException, IOException {
        return BrokerBeans.ifThere(() -> ((Number) beans.getAttribute(gauge, "Value")).doubleValue());
    }
}
