package dev.weir.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rates of the machine's disks and network between two readings, from {@code /proc}. Figures that the system does
 * not provide are left out. Confined to one thread.
 */
public final class HostSeries {
    public static final String DISK_READ = "host: disk read MB/s";
    public static final String DISK_WRITTEN = "host: disk written MB/s";

    /** The busy share of the busiest disk. */
    public static final String DISK_BUSY = "host: disk busy %";

    public static final String NETWORK_IN = "host: network in MB/s";
    public static final String NETWORK_OUT = "host: network out MB/s";

    /** Traffic between processes of this machine. Each byte is counted once. */
    public static final String LOOPBACK = "host: loopback MB/s";

    public static final String BUSY = "host: busy %, by second";

    private static final int SECTOR_BYTES = 512;
    private static final String LOOPBACK_NAME = "lo";

    private final Path proc;
    private @Nullable Reading before;

    /** Reads this process's machine. */
    public HostSeries() {
        this(Path.of("/proc"));
    }

    /** Reads another folder; for tests. */
    HostSeries(Path proc) {
        this.proc = proc;
    }

    /**
     * Counts since the machine started.
     *
     * @param disks sectors read, sectors written and busy milliseconds, by the disk's name
     * @param interfaces bytes in and out, by the interface's name
     * @param busyTicks busy ticks, summed over all processors; 0 if not known
     * @param allTicks busy and idle ticks, summed over all processors; 0 if not known
     */
    private record Reading(
            long nanos, Map<String, long[]> disks, Map<String, long[]> interfaces, long busyTicks, long allTicks) {}

    /** Returns the rates since the previous reading, by name; empty the first time. */
    public Map<String, Double> look(long nowNanos) {
        Reading now = read(nowNanos);
        Reading then = before;
        before = now;
        Map<String, Double> figures = new LinkedHashMap<>();
        if (then == null || now.nanos <= then.nanos) {
            return figures;
        }
        double seconds = (now.nanos - then.nanos) / 1e9;
        now.disks.forEach((name, count) -> {
            long[] earlier = then.disks.get(name);
            if (earlier != null) {
                figures.merge(DISK_READ, megabytes(count[0] - earlier[0], SECTOR_BYTES) / seconds, Double::sum);
                figures.merge(DISK_WRITTEN, megabytes(count[1] - earlier[1], SECTOR_BYTES) / seconds, Double::sum);
                figures.merge(DISK_BUSY, Math.min(100, (count[2] - earlier[2]) / seconds / 10), Math::max);
            }
        });
        now.interfaces.forEach((name, count) -> {
            long[] earlier = then.interfaces.get(name);
            if (earlier != null) {
                double out = megabytes(count[1] - earlier[1], 1) / seconds;
                if (name.equals(LOOPBACK_NAME)) {
                    figures.put(LOOPBACK, out);
                } else {
                    figures.merge(NETWORK_IN, megabytes(count[0] - earlier[0], 1) / seconds, Double::sum);
                    figures.merge(NETWORK_OUT, out, Double::sum);
                }
            }
        });
        if (now.allTicks > then.allTicks) {
            figures.put(BUSY, 100.0 * (now.busyTicks - then.busyTicks) / (now.allTicks - then.allTicks));
        }
        return figures;
    }

    private static double megabytes(long count, int bytes) {
        return count * (bytes / 1e6);
    }

    private Reading read(long nanos) {
        long[] ticks = ticks();
        return new Reading(nanos, disks(), interfaces(), ticks[0], ticks[1]);
    }

    private Map<String, long[]> disks() {
        Map<String, long[]> all = new TreeMap<>();
        for (String line : lines("diskstats")) {
            // The fields are major minor name reads merged sectors ms writes merged sectors ms under-way busy-ms ...
            String[] words = line.strip().split("\\s+", -1);
            if (words.length >= 13 && !words[2].matches("(loop|ram|zram|dm-|md|sr|fd)\\d+")) {
                all.put(
                        words[2],
                        new long[] {Long.parseLong(words[5]), Long.parseLong(words[9]), Long.parseLong(words[12])});
            }
        }
        // The counts of a disk include its partitions, so the partitions' entries are removed.
        Set<String> names = new TreeSet<>(all.keySet());
        all.keySet().removeIf(name -> names.stream().anyMatch(disk -> isPartition(name, disk)));
        return all;
    }

    private static boolean isPartition(String name, String disk) {
        return name.length() > disk.length()
                && name.startsWith(disk)
                && name.substring(disk.length()).matches("p?\\d+");
    }

    private Map<String, long[]> interfaces() {
        Map<String, long[]> all = new TreeMap<>();
        for (String line : lines("net/dev")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                String[] words = line.substring(colon + 1).strip().split("\\s+", -1);
                if (words.length >= 9) {
                    all.put(
                            line.substring(0, colon).strip(),
                            new long[] {Long.parseLong(words[0]), Long.parseLong(words[8])});
                }
            }
        }
        return all;
    }

    private long[] ticks() {
        for (String line : lines("stat")) {
            String[] words = line.split("\\s+", -1);
            if (words[0].equals("cpu") && words.length >= 9) {
                long sum = 0;
                for (int i = 1; i <= 8; i++) {
                    sum += Long.parseLong(words[i]);
                }
                return new long[] {sum - Long.parseLong(words[4]) - Long.parseLong(words[5]), sum};
            }
        }
        return new long[2];
    }

    private List<String> lines(String file) {
        try {
            return new ArrayList<>(Files.readAllLines(proc.resolve(file)));
        } catch (IOException e) { // not Linux, or not permitted
            return List.of();
        }
    }
}
