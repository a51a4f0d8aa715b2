package dev.weir.bench.campaign;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.bench.figures.ProcessorCounters;
import dev.weir.bench.result.Environment;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Describes the machine and the checkout. Stateless. */
final class EnvironmentProbe {
    private static final Map<String, String> FILES = Map.of(
            "cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "cpu.turbo.disabled", "/sys/devices/system/cpu/intel_pstate/no_turbo",
            "cgroup.cpu.max", "/sys/fs/cgroup/cpu.max",
            "cgroup.memory.max", "/sys/fs/cgroup/memory.max",
            "kernel.hugepages", "/sys/kernel/mm/transparent_hugepage/enabled");

    private EnvironmentProbe() {}

    static Environment read(Path root, Map<String, String> versions, Map<String, String> settings) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Map<String, String> all = new TreeMap<>(settings);
        FILES.forEach((name, file) -> {
            String value = read(Path.of(file));
            if (!value.isEmpty()) {
                all.put(name, value.strip());
            }
        });
        all.put(ProcessorCounters.SETTING, ProcessorCounters.availability());
        all.put("load.average", Double.toString(system.getSystemLoadAverage()));
        return new Environment(
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                processor(),
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize(),
                versions,
                all,
                commit(root),
                System.currentTimeMillis());
    }

    private static String processor() {
        return read(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String read(Path file) {
        try {
            return Files.isReadable(file) ? Files.readString(file) : "";
        } catch (IOException e) { // Not available on all systems.
            return "";
        }
    }

    /**
     * Returns the commit of Weir's sources, with {@code -dirty} if they were changed. Returns {@code unknown} if the
     * root is not a checkout.
     */
    static String commit(Path root) {
        if (!Files.exists(root.resolve(".git"))) { // a file in a linked worktree
            return "unknown";
        }
        try {
            Process git = new ProcessBuilder(
                            "git", "-C", root.toString(), "describe", "--always", "--dirty", "--abbrev=12")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return said.isEmpty() ? "unknown" : said;
        } catch (IOException e) { // Git is not installed.
            return "unknown";
        }
    }
}
