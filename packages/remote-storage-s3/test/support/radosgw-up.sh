#!/usr/bin/env bash
# Starts a Ceph monitor, a store in memory and the S3 gateway, all on 127.0.0.1, and returns once the gateway
# answers: radosgw-up.sh DIRECTORY GATEWAY_PORT MONITOR_PORT. The daemons run on by themselves; their process ids
# are in DIRECTORY/run. The waiting loops have no end: whoever calls this sets a limit.
set -euo pipefail
D=$1 RP=$2 MP=$3 C=$1/ceph.conf; K="ceph -c $C --connect-timeout 5"
rm -rf "$D"; mkdir -p "$D"/{mon/a,osd/0,run,log,crash,rgw}
FSID=$(cat /proc/sys/kernel/random/uuid)
cat > "$C" <<E
[global]
fsid = $FSID
mon host = v1:127.0.0.1:$MP
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
paxos propose interval = 0.02
paxos min wait = 0.01
osd objectstore = memstore
memstore device bytes = 6G
osd crush update on start = false
osd class update on start = false
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
mon data = $D/mon/\$id
osd data = $D/osd/\$id
run dir = $D/run
admin socket = $D/run/\$name.asok
pid file = $D/run/\$name.pid
log file = $D/log/\$name.log
mon cluster log file = $D/log/cluster.log
crash dir = $D/crash
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:$RP
rgw data = $D/rgw
rgw dns name = s3.localhost
rgw thread pool size = 32
rgw gc obj min wait = 1
rgw gc processor period = 5
rgw gc processor max time = 5
E
monmaptool --create --addv a "v1:127.0.0.1:$MP" --fsid "$FSID" "$D/monmap" >/dev/null
ceph-mon -c "$C" -i a --mkfs --monmap "$D/monmap"
ceph-mon -c "$C" -i a
until $K mon stat >/dev/null 2>&1; do sleep .1; done
ceph-osd -c "$C" -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)" >/dev/null 2>&1
U=$(cat "$D/osd/0/fsid")
$K osd new "$U" >/dev/null
$K osd crush add osd.0 1.0 root=default host=testhost >/dev/null 2>&1
ceph-osd -c "$C" -i 0 --osd-uuid "$U" >/dev/null 2>&1
until $K osd stat 2>/dev/null | grep -q '1 up'; do sleep .1; done
radosgw -c "$C" -n client.rgw.a
radosgw-admin -c "$C" user create --uid=test --display-name=test --access-key=testkey --secret-key=testsecret --max-buckets=0 >/dev/null 2>&1
until curl -sf -o /dev/null "http://127.0.0.1:$RP/"; do sleep .1; done
