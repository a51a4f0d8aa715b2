package dev.weir.bench.beans;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class BrokerSeriesTest {

    /** The interface of a standard bean; its name must be the class's name followed by {@code MBean}. */
    public interface GaugeMBean {
        int getValue();
    }

    public record Gauge(int value) implements GaugeMBean {
        @Override
        public int getValue() {
            return value;
        }
    }

    private final MBeanServer broker = MBeanServerFactory.newMBeanServer();

    private static ObjectName partition(int number) throws Exception {
        return new ObjectName("kafka.server:type=SharePartitionMetrics,name=InFlightMessageCount,partition=" + number);
    }

    /** Returns a connection to a broker that removes this bean as soon as the broker's beans have been listed. */
    private MBeanServerConnection removing(ObjectName bean) {
        return (MBeanServerConnection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MBeanServerConnection.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(broker, arguments);
                        if (method.getName().equals("queryNames")) {
                            broker.unregisterMBean(bean);
                        }
                        return result;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** Regression: the figures of all brokers for a second were lost if a partition disappeared. */
    @Test
    void partitionThatGoes_duringAReading_costsNoOtherFigure() throws Exception {
        for (int i = 1; i <= 3; i++) {
            broker.registerMBean(new Gauge(10 * i), partition(i));
        }
        broker.registerMBean(new Gauge(7), new ObjectName("kafka.network:type=RequestChannel,name=RequestQueueSize"));
        Map<String, Double> figures = new LinkedHashMap<>();
        BrokerSeries.add(removing(partition(2)), figures);
        assertThat(figures)
                .isEqualTo(
                        Map.of(BrokerSeries.LOCKED, 40.0, BrokerSeries.LOCKED_OF_ONE, 30.0, BrokerSeries.QUEUE, 7.0));
    }

    @Test
    void brokerWithoutShareGroups_hasNoFiguresOfThem() throws Exception {
        Map<String, Double> figures = new LinkedHashMap<>();
        BrokerSeries.add(broker, figures);
        assertThat(figures).isEmpty();
    }
}
