package dev.weir.bench.run;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.weir.testkit.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * What forked brokers have sent to consumers, by their own counters: the same for each library, whatever it counts itself.
 * Confined to one thread. Brokers are attached to, so that they need no port for it.
 */
final class FetchCounter implements AutoCloseable {
    private final List<JMXConnector> brokers = new ArrayList<>();
    private final ObjectName bytes;
    private final ObjectName requests;

    /**
     * Counts since the brokers started, or between two such counts.
     *
     * @param bytes of batches in answers to fetches of consumers
     */
    record Count(long bytes, long requests) {
        Count since(Count earlier) {
            return new Count(bytes - earlier.bytes, requests - earlier.requests);
        }
    }

    FetchCounter(List<Broker> brokers) {
        try {
            bytes = new ObjectName("kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec");
            // One for each version of the protocol that was spoken.
            requests = new ObjectName("kafka.network:type=RequestMetrics,name=RequestsPerSec,request=FetchConsumer,*");
            for (Broker broker : brokers) {
                this.brokers.add(attach(broker));
            }
        } catch (JMException | IOException | AttachNotSupportedException e) {
            close();
            throw new BenchException("brokers cannot be asked for their counts (method.countFetches): " + e, e);
        }
    }

    @SuppressWarnings("BanJNDI") // the address comes from a process of our own that we have just attached to
    private static JMXConnector attach(Broker broker) throws IOException, AttachNotSupportedException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(broker.pid()));
        try {
            return JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
        } finally {
            machine.detach();
        }
    }

    Count read() {
        long sentBytes = 0;
        long answered = 0;
        try {
            for (JMXConnector broker : brokers) {
                MBeanServerConnection beans = broker.getMBeanServerConnection();
                sentBytes += count(beans, bytes);
                for (ObjectName version : beans.queryNames(requests, null)) {
                    answered += count(beans, version);
                }
            }
        } catch (JMException | IOException e) {
            throw new BenchException("a broker did not tell its counts: " + e, e);
        }
        return new Count(sentBytes, answered);
    }

    private static long count(MBeanServerConnection beans, ObjectName name) throws JMException, IOException {
        return (Long) beans.getAttribute(name, "Count");
    }

    @Override
    public void close() {
        for (JMXConnector broker : brokers) {
            try {
                broker.close();
            } catch (IOException ignored) { // The broker is gone.
            }
        }
    }
}
