package dev.weir.testkit.internal;

import dev.weir.testkit.KafkaClusterException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The roles and ports of each node. Immutable.
 *
 * <p>Nodes are numbered from 1. With three brokers or more, nodes 1 to 3 are controllers too, so that the metadata
 * quorum survives the loss of any one broker; with one or two, node 1 is the only controller, because a quorum of two
 * survives no loss at all.
 */
public record ClusterLayout(List<Integer> brokerPorts, List<Integer> controllerPorts, List<Integer> securedPorts) {

    /** The address on which everything listens. */
    public static final String HOST = "127.0.0.1";

    private static final int MOST_CONTROLLERS = 3;

    public ClusterLayout {
        brokerPorts = List.copyOf(brokerPorts);
        controllerPorts = List.copyOf(controllerPorts);
        securedPorts = List.copyOf(securedPorts);
    }

    /** Chooses free ports, and checks requested ones. */
    public static ClusterLayout choose(ClusterOptions options) {
        List<Integer> brokerPorts = new ArrayList<>();
        Ports free = new Ports();
        for (int id = 1; id <= options.brokers(); id++) {
            if (options.firstPort() == ClusterOptions.ANY_PORT) {
                brokerPorts.add(free.next());
                continue;
            }
            int port = options.firstPort() + id - 1;
            if (!Ports.isFree(port)) {
                throw new KafkaClusterException("port " + port + " (broker " + id + ") is in use on " + HOST
                        + ": stop what listens there, or choose another port");
            }
            brokerPorts.add(port);
        }
        int controllers = options.brokers() < MOST_CONTROLLERS ? 1 : MOST_CONTROLLERS;
        List<Integer> controllerPorts =
                IntStream.range(0, controllers).mapToObj(i -> free.next()).toList();
        int secured = options.secured() ? options.brokers() : 0;
        List<Integer> securedPorts =
                IntStream.range(0, secured).mapToObj(i -> free.next()).toList();
        return new ClusterLayout(brokerPorts, controllerPorts, securedPorts);
    }

    public int brokers() {
        return brokerPorts.size();
    }

    public boolean isController(int id) {
        return id <= controllerPorts.size();
    }

    public int brokerPort(int id) {
        return brokerPorts.get(id - 1);
    }

    public int controllerPort(int id) {
        return controllerPorts.get(id - 1);
    }

    /** Default replicas of a topic: three with at least three brokers. */
    public int replicationFactor() {
        return Math.min(3, brokers());
    }

    /** In-sync replicas required for a write: one broker of three may be down. */
    public int minInSyncReplicas() {
        return brokers() < 3 ? 1 : 2;
    }

    public String bootstrapServers() {
        return addresses(brokerPorts);
    }

    /** Addresses of the listeners that require authentication; empty if there are none. */
    public String securedBootstrapServers() {
        return addresses(securedPorts);
    }

    private static String addresses(List<Integer> ports) {
        return ports.stream().map(port -> HOST + ":" + port).collect(Collectors.joining(","));
    }

    String voters() {
        return IntStream.rangeClosed(1, controllerPorts.size())
                .mapToObj(id -> id + "@" + HOST + ":" + controllerPort(id))
                .collect(Collectors.joining(","));
    }
}
