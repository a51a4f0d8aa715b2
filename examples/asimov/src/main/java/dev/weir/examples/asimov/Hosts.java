package dev.weir.examples.asimov;

import java.net.IDN;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * The host parser of the URL Standard for web schemes. Thread-safe; never queries a name service.
 *
 * <p>It differs from the standard in two respects. It maps names outside ASCII with {@link IDN} (IDNA 2003), while the
 * standard requires UTS 46; the two disagree on a few characters such as "ß". It does not check names that are already
 * punycode.
 */
final class Hosts {
    private static final AsciiSet FORBIDDEN_IN_DOMAIN = AsciiSet.of(" #%/:<>?@[\\]^|");
    private static final int IPV6_PIECES = 8;

    private Hosts() {}

    static String parse(String host) throws InvalidUrlException {
        if (host.isEmpty()) {
            throw new InvalidUrlException("it has no host");
        }
        if (host.charAt(0) == '[') {
            return ipv6(host);
        }
        String domain = toAscii(FormUrlEncoded.percentDecode(host));
        for (int i = 0; i < domain.length(); i++) {
            char c = domain.charAt(i);
            if (c <= ' ' || c > '~' || FORBIDDEN_IN_DOMAIN.has(c)) {
                throw new InvalidUrlException("its host has a forbidden character");
            }
        }
        return endsInNumber(domain) ? ipv4(domain) : domain;
    }

    private static String toAscii(String domain) throws InvalidUrlException {
        try {
            String mapped = isAscii(domain) ? domain : IDN.toASCII(domain, IDN.ALLOW_UNASSIGNED);
            if (mapped.isEmpty()) {
                throw new InvalidUrlException("it has no host");
            }
            return mapped.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            throw new InvalidUrlException("its host is not a domain name");
        }
    }

    private static boolean endsInNumber(String domain) {
        String name = withoutLastDot(domain);
        String last = name.substring(name.lastIndexOf('.') + 1);
        return isDigits(last) || number(last) >= 0;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigits(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static String ipv4(String domain) throws InvalidUrlException {
        String[] parts = withoutLastDot(domain).split("\\.", -1);
        long address = 0;
        boolean valid = parts.length <= 4;
        for (int i = 0; i < parts.length && valid; i++) {
            long part = number(parts[i]);
            // The last part of an IPv4 address covers all remaining bytes.
            int bits = i < parts.length - 1 ? 8 : 8 * (5 - parts.length);
            valid = part >= 0 && part < 1L << bits;
            address = address << bits | part;
        }
        if (!valid) {
            throw new InvalidUrlException("its host ends in a number but is not an IPv4 address");
        }
        return (address >> 24) + "." + (address >> 16 & 0xff) + "." + (address >> 8 & 0xff) + "." + (address & 0xff);
    }

    private static String withoutLastDot(String domain) {
        return domain.endsWith(".") ? domain.substring(0, domain.length() - 1) : domain;
    }

    /**
     * Returns the value of a decimal, octal (0...) or hexadecimal (0x...) number, or -1. The value is capped far above
     * the highest address.
     */
    private static long number(String part) {
        int radix = 10;
        int start = 0;
        if (part.startsWith("0x")) {
            radix = 16;
            start = 2;
        } else if (part.length() > 1 && part.startsWith("0")) {
            radix = 8;
            start = 1;
        } else if (part.isEmpty()) {
            return -1;
        }
        long number = 0;
        for (int i = start; i < part.length(); i++) {
            int digit = Character.digit(part.charAt(i), radix);
            if (digit < 0) {
                return -1;
            }
            number = Math.min(number * radix + digit, 1L << 40);
        }
        return number;
    }

    private static String ipv6(String host) throws InvalidUrlException {
        // Only possible address literals, because InetAddress looks up any other string.
        boolean literal =
                host.endsWith("]") && host.chars().filter(c -> c == ':').count() >= 2;
        for (int i = 1; i < host.length() - 1 && literal; i++) {
            char c = host.charAt(i);
            literal = c == ':' || c == '.' || (c < 0x80 && Character.digit(c, 16) >= 0);
        }
        if (literal) {
            try {
                InetAddress address = InetAddress.getByName(host);
                byte[] bytes = address.getAddress();
                return '[' + (address instanceof Inet4Address ? mapped(bytes) : compressed(pieces(bytes))) + ']';
            } catch (UnknownHostException ignored) {
                // The text in brackets is not an IPv6 address.
            }
        }
        throw new InvalidUrlException("its host is not an IPv6 address");
    }

    private static String mapped(byte[] ipv4) {
        int[] pieces = new int[IPV6_PIECES];
        pieces[5] = 0xffff;
        pieces[6] = piece(ipv4, 0);
        pieces[7] = piece(ipv4, 2);
        return compressed(pieces);
    }

    private static int[] pieces(byte[] ipv6) {
        int[] pieces = new int[IPV6_PIECES];
        for (int i = 0; i < IPV6_PIECES; i++) {
            pieces[i] = piece(ipv6, 2 * i);
        }
        return pieces;
    }

    private static int piece(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
    }

    /** Writes the first longest run of at least two zero pieces as "::". */
    private static String compressed(int[] pieces) {
        int bestStart = -1;
        int bestLength = 1;
        for (int start = 0; start < IPV6_PIECES; start++) {
            int end = start;
            while (end < IPV6_PIECES && pieces[end] == 0) {
                end++;
            }
            if (end - start > bestLength) {
                bestStart = start;
                bestLength = end - start;
            }
        }
        if (bestStart < 0) {
            return joined(pieces, 0, IPV6_PIECES);
        }
        return joined(pieces, 0, bestStart) + "::" + joined(pieces, bestStart + bestLength, IPV6_PIECES);
    }

    private static String joined(int[] pieces, int from, int to) {
        StringJoiner joiner = new StringJoiner(":");
        for (int i = from; i < to; i++) {
            joiner.add(Integer.toHexString(pieces[i]));
        }
        return joiner.toString();
    }
}
