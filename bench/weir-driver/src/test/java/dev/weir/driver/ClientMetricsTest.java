package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class ClientMetricsTest {

    /** A client closes while the metrics of other clients are read. */
    @Test
    void clientThatCloses_doesNotHideTheOthers() throws Exception {
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        for (String client : List.of("a", "b", "c")) {
            ClientSeriesTest.Gauges gauges = new ClientSeriesTest.Gauges();
            if (!client.equals("b")) {
                gauges.values.put("commit-rate", client.equals("a") ? 2.0 : 4.0);
            }
            beans.registerMBean(
                    gauges, new ObjectName("kafka.consumer:type=consumer-coordinator-metrics,client-id=" + client));
        }
        assertThat(ClientMetrics.read(beans)).containsOnly(entry("client: commits/s", 3.0));
    }
}
