package dev.weir.testkit;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * A JUnit extension that runs one cluster for all tests of a class and of its nested classes, and retains the cluster's
 * folder if a test fails. Confined to JUnit's threads; its cluster is thread-safe.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());
 * }</pre>
 */
public final class KafkaClusterExtension implements BeforeAllCallback, AfterAllCallback, TestWatcher {
    private final KafkaCluster.Builder builder;

    private @Nullable KafkaCluster cluster;

    /** The id of the test class for which the cluster is running; null if there is none. */
    private @Nullable String owner;

    public KafkaClusterExtension(KafkaCluster.Builder builder) {
        this.builder = Objects.requireNonNull(builder, "builder");
    }

    /** Returns the running cluster. */
    public KafkaCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("no cluster yet: register the extension on a static field");
        }
        return cluster;
    }

    public String bootstrapServers() {
        return cluster().bootstrapServers();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (owner == null) {
            cluster = builder.start();
            owner = context.getUniqueId();
        }
    }

    @Override
    public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
        cluster().keepFolder();
        context.publishReportEntry("kafka logs", cluster().logs().toString());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getUniqueId().equals(owner)) {
            owner = null;
            cluster().close();
        }
    }
}
