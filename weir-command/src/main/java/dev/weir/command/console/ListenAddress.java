package dev.weir.command.console;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address on which a command's server listens. Immutable.
 *
 * @param host a name or address of this machine, without brackets; null for loopback
 * @param port 0 to 65535; 0 for any free port
 */
public record ListenAddress(@Nullable String host, int port) {

    private static final int MAX_PORT = 65_535;

    /** Converts {@code [HOST:]PORT}. Stateless. */
    public static final class Converter implements ITypeConverter<ListenAddress> {

        @Override
        public ListenAddress convert(String text) {
            int colon = text.lastIndexOf(':');
            String host = colon < 0 ? null : unbracketed(text.substring(0, colon));
            String port = text.substring(colon + 1);
            boolean fits = port.matches("[0-9]{1,5}") && Integer.parseInt(port) <= MAX_PORT;
            if (!fits || (host != null && !isHost(host))) {
                throw new TypeConversionException(
                        "'" + text + "' is no [HOST:]PORT with a port of 0 to 65535 (for example 9400, 0.0.0.0:9400)");
            }
            return new ListenAddress(host, Integer.parseInt(port));
        }

        private static String unbracketed(String host) {
            return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        }

        private static boolean isHost(String host) {
            return !host.isBlank() && host.indexOf('/') < 0 && host.indexOf('[') < 0;
        }
    }

    @Override
    public String toString() {
        return host == null ? Integer.toString(port) : (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
