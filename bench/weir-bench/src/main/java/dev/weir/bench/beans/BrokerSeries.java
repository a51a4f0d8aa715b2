package dev.weir.bench.beans;

import dev.weir.bench.workload.LockWindow;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Reads the brokers' figures for a series of samples. Each sample contains the mean request times since the previous
 * sample, the current number of acquisition locks and the current number of queued requests. Confined to one thread.
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

    /**
     * Returns the current figures by series name. The first call returns no request times, because a request time is
     * the mean since the previous call.
     */
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
        brokers.each(beans -> {
            Set<ObjectName> partitions =
                    beans.queryNames(new ObjectName("*:type=SharePartitionMetrics,name=InFlightMessageCount,*"), null);
            for (ObjectName partition : partitions) {
                double locked = ((Number) beans.getAttribute(partition, "Value")).doubleValue();
                figures.merge(LOCKED, locked, Double::sum);
                figures.merge(LOCKED_OF_ONE, locked, Math::max);
            }
            ObjectName queue = new ObjectName("kafka.network:type=RequestChannel,name=RequestQueueSize");
            if (beans.isRegistered(queue)) {
                figures.merge(QUEUE, ((Number) beans.getAttribute(queue, "Value")).doubleValue(), Double::sum);
            }
        });
        return figures;
    }
}
