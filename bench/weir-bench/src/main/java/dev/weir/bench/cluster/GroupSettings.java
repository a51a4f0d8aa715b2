package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;

/** Settings of a group. Brokers keep them even after the group has ended. Immutable. */
record GroupSettings(String group, Map<String, String> config) {
    GroupSettings {
        config = Map.copyOf(config);
    }

    void set(Admin admin) {
        alter(admin, "to set " + config, AlterConfigOp.OpType.SET);
    }

    /** Returns the reason why the brokers would refuse the settings; null if they would accept them. */
    @Nullable
    String objection(Admin admin) {
        try {
            alter(admin, "to set " + config, AlterConfigOp.OpType.SET, new AlterConfigsOptions().validateOnly(true));
            return null;
        } catch (BenchException e) {
            return e.getMessage();
        }
    }

    void remove(Admin admin) {
        alter(admin, "to remove the settings", AlterConfigOp.OpType.DELETE);
    }

    private void alter(Admin admin, String what, AlterConfigOp.OpType operation) {
        alter(admin, what, operation, new AlterConfigsOptions());
    }

    private void alter(Admin admin, String what, AlterConfigOp.OpType operation, AlterConfigsOptions options) {
        Collection<AlterConfigOp> changes = config.entrySet().stream()
                .map(setting -> new AlterConfigOp(new ConfigEntry(setting.getKey(), setting.getValue()), operation))
                .toList();
        if (!changes.isEmpty()) {
            Asked.of(
                    what + " of group " + group,
                    admin.incrementalAlterConfigs(
                                    Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), changes), options)
                            .all());
        }
    }
}
