package dev.weir.bench.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.BenchException;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers across campaigns which drivers have passed their dry run. A dry run is repeated only if the driver's files
 * or settings change. Confined to one thread.
 */
final class DryRuns {
    private static final ObjectMapper JSON = new ObjectMapper();

    // Prefixes of settings that do not affect a driver.
    private static final List<String> ASIDE =
            List.of("name", "about", "baseline", "design", "drivers", "topic.records", "method.");

    private final Path folder;

    /** Creates a store in a folder, which may not exist yet. */
    DryRuns(Path folder) {
        this.folder = folder;
    }

    /** Returns a key that identifies a dry run: the driver's files, the Java version and the settings of a point. */
    static String key(String driver, DriverCatalog.Entry entry, WorkloadPoint point) {
        StringBuilder all = new StringBuilder(driver).append('\n').append(Runtime.version());
        point.settings().forEach((path, value) -> {
            if (ASIDE.stream().noneMatch(path::startsWith)) {
                all.append('\n').append(path).append('=').append(value);
            }
        });
        try {
            for (String place : entry.classPath().split(File.pathSeparator, -1)) {
                try (Stream<Path> files = Files.walk(Path.of(place))) {
                    for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                        all.append('\n').append(file).append(' ').append(Files.size(file));
                        all.append(' ').append(Files.getLastModifiedTime(file).toMillis());
                    }
                }
            }
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(all.toString().getBytes(StandardCharsets.UTF_8));
            return driver + "-" + HexFormat.of().formatHex(digest, 0, 12);
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new BenchException("cannot read the class path of driver " + driver + ": " + e, e);
        }
    }

    /** Returns the greeting from the driver's successful dry run; null if there was none. */
    Report.@Nullable Hello passed(String key) {
        try {
            Path file = file(key);
            return Files.exists(file) ? JSON.readValue(file.toFile(), Report.Hello.class) : null;
        } catch (IOException e) { // The file is incomplete, or another version wrote it.
            return null;
        }
    }

    void keep(String key, Report.Hello hello) {
        try {
            Files.createDirectories(folder);
            JSON.writeValue(file(key).toFile(), hello);
        } catch (IOException e) {
            throw new BenchException("cannot write below " + folder + ": " + e, e);
        }
    }

    private Path file(String key) {
        return folder.resolve(key + ".json");
    }
}
