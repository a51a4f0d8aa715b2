package dev.weir.bench.beans;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JMX beans of forked brokers. Attaches to the broker processes, so brokers need no JMX port. Confined to one
 * thread.
 */
public final class BrokerBeans implements AutoCloseable {
    private final List<JMXConnector> brokers = new ArrayList<>();

    public BrokerBeans(List<Broker> brokers) {
        try {
            for (Broker broker : brokers) {
                this.brokers.add(attach(broker));
            }
        } catch (IOException | AttachNotSupportedException e) {
            close();
            throw new BenchException("brokers cannot be asked for their counts: " + e, e);
        }
    }

    /** Reads from the beans of one broker. */
    interface Reader {
        void read(MBeanServerConnection beans) throws JMException, IOException;
    }

    /** One read of one bean. */
    @FunctionalInterface
    interface BeanRead<T> {
        T read() throws JMException, IOException;
    }

    /** Reads a bean; null if the broker does not have it. */
    static <T> @Nullable T ifThere(BeanRead<T> bean) throws JMException, IOException {
        try {
            return bean.read();
        } catch (InstanceNotFoundException gone) {
            return null;
        }
    }

    @SuppressWarnings("BanJNDI") // the address comes from a broker process that we started
    private static JMXConnector attach(Broker broker) throws IOException, AttachNotSupportedException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(broker.pid()));
        try {
            return JMXConnectorFactory.connect(new JMXServiceURL(machine.startLocalManagementAgent()));
        } finally {
            machine.detach();
        }
    }

    void each(Reader reader) {
        try {
            for (JMXConnector broker : brokers) {
                reader.read(broker.getMBeanServerConnection());
            }
        } catch (JMException | IOException e) {
            throw new BenchException("the counts of a broker cannot be read: " + e, e);
        }
    }

    @Override
    public void close() {
        for (JMXConnector broker : brokers) {
            try {
                broker.close();
            } catch (IOException ignored) { // The broker has ended.
            }
        }
    }
}
