package dev.weir.bench.beans;

import java.io.IOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Counts the bytes and requests of consumers' fetches, as the forked brokers report them. Confined to one thread. */
public final class FetchCounter {
    private final BrokerBeans brokers;
    private final ObjectName bytes;
    private final ObjectName requests;

    /**
     * The bytes and requests counted since the brokers started, or between two readings.
     *
     * @param bytes bytes of the record batches in fetch responses to consumers
     */
    public record Count(long bytes, long requests) {
        public Count since(Count earlier) {
            return new Count(bytes - earlier.bytes, requests - earlier.requests);
        }
    }

    public FetchCounter(BrokerBeans brokers) {
        this.brokers = brokers;
        try {
            bytes = new ObjectName("kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec");
            // Brokers have a separate bean for each protocol version in use.
            requests = new ObjectName("kafka.network:type=RequestMetrics,name=RequestsPerSec,request=FetchConsumer,*");
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    public Count read() {
        long[] sums = new long[2];
        brokers.each(beans -> {
            sums[0] += count(beans, bytes);
            for (ObjectName version : beans.queryNames(requests, null)) {
                sums[1] += count(beans, version);
            }
        });
        return new Count(sums[0], sums[1]);
    }

    private static long count(MBeanServerConnection beans, ObjectName name) throws JMException, IOException {
        return (Long) beans.getAttribute(name, "Count");
    }
}
