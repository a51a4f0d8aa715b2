package dev.weir.testkit.internal;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import kafka.server.StandardFaultHandlerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * The main class of a forked broker. Its only argument is a file with server settings; see {@link OwnerPipe} for its
 * protocol with the owner.
 */
public final class BrokerMain {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMain.class);

    private BrokerMain() {}

    public static void main(String[] args) throws IOException {
        OwnerPipe owner = OwnerPipe.open();
        if (LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory) {
            System.err.println("No slf4j binding on the class path, so this broker cannot log: add slf4j-jdk14.");
        }
        ServerNode server = start(args[0], owner);
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "broker-stop"));
        owner.ready();
        owner.awaitEnd();
        System.exit(0);
    }

    private static ServerNode start(String settingsFile, OwnerPipe owner) throws IOException {
        try {
            ServerNode server = new ServerNode(read(Path.of(settingsFile)), new StandardFaultHandlerFactory());
            server.start();
            return server;
        } catch (Throwable e) {
            LOG.error("broker did not start", e);
            owner.fail(e);
            throw e;
        }
    }

    private static Map<String, String> read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }
}
